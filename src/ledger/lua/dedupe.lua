-- The kinds of a token are remembered this long after its end, and after its click was judged, so that a hit that went to
-- Postgres in the meantime is recognized when it is folded.
local DEDUPE_MARGIN_MS = 600000
