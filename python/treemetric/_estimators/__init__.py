"""What learners and classifiers share: checks, the GLVQ loss, and the choice of prototypes."""
