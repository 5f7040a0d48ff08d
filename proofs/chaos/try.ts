import { openLanes } from './lane.ts';
import { runStory } from './run-story.ts';
import { STEP_CLASSES, type StepClass } from './story.ts';
import { writeStory } from './write-story.ts';
const [from = '1', to = '5', only] = process.argv.slice(2);
const classes = new Set((only !== undefined ? only.split(',').filter(Boolean) : STEP_CLASSES) as StepClass[]);
const lanes = await openLanes(1);
try {
  for (let seed = Number(from); seed <= Number(to); seed++) {
    const story = writeStory({ seed, steps: 300, classes });
    const t = performance.now();
    const run = await runStory(lanes.lanes[0]!, story);
    console.log(seed, Math.round(performance.now() - t), 'ms', run.selections, run.hits, run.broken ? JSON.stringify(run.broken) : 'ok');
  }
} finally {
  await lanes.close();
}
