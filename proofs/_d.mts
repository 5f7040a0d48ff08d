import { backTest } from './forecast/back-test.ts';
import { withRedis } from './simulation/with-redis.ts';
const t = await withRedis((redisUrl) => backTest({ redisUrl, seed: 1, say: console.log, sampleWeight: 1, viewsADay: 800, lineItems: 40, stepMs: 600_000 }));
const f = await t.forecast(undefined, true);
let a=0,b=0;
const rows=[];
for (const id of new Set([...t.delivered.keys(), ...f.lineItems.keys()])) {
  const act=[...(t.delivered.get(id)??[])].reduce((s,[d,c])=>d>=t.firstDay?s+c:s,0); const p=f.lineItems.get(id);
  a+=act; b+=p?.p50??0; rows.push([id,act,p?.p10,p?.p50,p?.p90]);
}
console.log('sum', a, b, 'opp', f.middle.opportunities, f.middle.filled);
rows.sort((x,y)=>(y[1]!-(y[3]??0))-(x[1]!-(x[3]??0)));
for (const [id,...r] of rows) { const row=t.catalog.rows.line_items.find((x)=>x.id===id)!; const bef=[...(t.delivered.get(id!)??[])].reduce((s,[d,c])=>d<t.firstDay?s+c:s,0);
 console.log(id, ...r, '|', row.pacing, row.priority, row.cpm_micros, 'goal', row.goal_impressions, 'cap', row.daily_impression_cap, row.daily_spend_cap_micros, 'freq', row.frequency_cap, row.frequency_window_s, JSON.stringify(row.targeting), 'before', bef, String(row.start_at).slice(4,10), String(row.end_at).slice(4,10), JSON.stringify(Object.fromEntries(f.lineItems.get(id!)?.refusals??[]))); }
process.exit(0);
