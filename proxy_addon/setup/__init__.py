"""The authority and the variables with which clients use the recorder, and a look at what is missing."""
