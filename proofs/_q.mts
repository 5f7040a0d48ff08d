import { bookCatalog } from './forecast/bookings.ts';
import { createLife } from './forecast/life.ts';
import { readingOf, snapshotOf } from '../testkit/catalog-reading.ts';
const START=Date.UTC(2026,2,2);
const life=createLife({seed:1,startMs:START,viewsADay:300});
const c=bookCatalog({life,seed:2,startMs:START,lineItems:60,impressionsADay:500,zone:'UTC'});
const s=await snapshotOf(readingOf({rows:(t)=>c.rows[t]}),{nowMs:START+86400000});
console.log(s.quarantinedCount, s.quarantined.slice(0,5), c.rows.line_items[0], s.slot(1,'place-4').direct?.size);
