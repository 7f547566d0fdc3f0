"""What a client needs to use the recorder as its HTTPS proxy: an authority, variables, a look at what is missing."""
