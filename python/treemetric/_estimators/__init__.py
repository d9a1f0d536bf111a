"""What learners and classifiers share."""
