import { forecast } from './forecast.ts';
const quick = process.argv[2] === 'quick';
const t0=Date.now();
const f = await forecast.run({ seed: 1, say: (l: string) => console.log(l, ((Date.now()-t0)/1000).toFixed(0)) } as never, { quick, of: (a: unknown, b: unknown) => quick ? b : a } as never);
console.log(f, (Date.now()-t0)/1000);
process.exit(0);
