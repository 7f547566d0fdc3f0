"""The command `toolreel show`: turns as pictures, in a terminal or as one page of HTML."""
