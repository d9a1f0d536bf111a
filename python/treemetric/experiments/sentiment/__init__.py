"""The Sentiment experiment of the source."""
