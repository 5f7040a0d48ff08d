"""Books what Prebid's Sales Agent sells. ``adapter`` is its adapter; ``desk`` knows nothing of the Sales Agent."""
