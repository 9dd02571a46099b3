"""x"""
def compare(seeds, cxx):
    return 2
