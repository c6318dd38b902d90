"""What we compare with, behind one interface each."""
