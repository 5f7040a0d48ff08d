import { median } from '../../testkit/statistics.ts';
import type { Server } from '../../testkit/start-process.ts';
import type { Rig } from '../create-rig.ts';
import { atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { buildsOf } from './builds.ts';
import { inTurns, migrateBy } from './contest.ts';
import { launchBrowser, loadScreen, PAGE_PLAN, PAGE_SETTINGS, SCREENS, type Load } from './page.ts';

/** In each turn of a build. */
const LOADS = 3;

interface PageOfBuild {
  readonly name: string;
  readonly server: Server;
  /** For each screen of SCREENS. */
  readonly loads: readonly Load[][];
}

const mediansOf = (loads: readonly Load[]): Load => ({
  paintMs: median(loads.map(({ paintMs }) => paintMs)),
  filledMs: median(loads.map(({ filledMs }) => filledMs)),
});

/** First paint and first records of the trafficking page of this build and of another one. */
export const pageAgainst = async (rig: Rig, other: string, { rounds }: Scale): Promise<Finding> => {
  const builds: PageOfBuild[] = [];
  for (const { name, dist } of buildsOf(rig, other)) {
    const stage = await rig.stage(`page_${name}`, PAGE_PLAN, (url) => migrateBy(dist, url));
    const server = await rig.startService(stage, { name, dist, env: PAGE_SETTINGS });
    builds.push({ name, server, loads: SCREENS.map(() => []) });
  }
  const browser = await launchBrowser();
  try {
    for (const [i, { name: screen, hash, filled }] of SCREENS.entries()) {
      await inTurns(builds, rounds, async ({ server, loads }) => {
        loads[i]!.push(...(await loadScreen(browser, server, { hash, filled, loads: LOADS })));
      });
      for (const { name, loads } of builds) {
        const { paintMs, filledMs } = mediansOf(loads[i]!);
        rig.say(`  ${screen}, ${name}: first paint ${whole(paintMs)} ms, first records ${whole(filledMs)} ms`);
      }
    }
  } finally {
    await browser.close();
  }
  await rig.stop(...builds.map(({ server }) => server));
  const medians = SCREENS.map((_, i) => builds.map(({ loads }) => mediansOf(loads[i]!)) as [Load, Load]);
  const ratios = medians.map(([before, after]) => ({ paint: after.paintMs / before.paintMs, filled: after.filledMs / before.filledMs }));
  return {
    title: 'The trafficking page, this build against another',
    text: tableOf(
      ['median', 'first paint ms: other', 'this', 'this ÷ other', 'first records ms: other', 'this', 'this ÷ other'],
      medians.map(([before, after], i) => [
        SCREENS[i]!.name,
        ...[whole(before.paintMs), whole(after.paintMs), ratios[i]!.paint.toFixed(2)],
        ...[whole(before.filledMs), whole(after.filledMs), ratios[i]!.filled.toFixed(2)],
      ]),
    ),
    goals: [atMost('first paint ÷ that of the other build, median of the screens', 1.05, median(ratios.map(({ paint }) => paint)))],
  };
};
