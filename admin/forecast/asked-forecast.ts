import type { FORECAST_API } from '../../src/forecast/forecast-api.ts';
import type { Answered, Sent } from '../api/api.ts';
import type { Answer, Problem } from '../api/wire.ts';
import type { Page } from '../page.ts';

export type Forecast = Answered<'GET', '/forecasts/{id}'>;
export type ForecastQuestion = Sent<(typeof FORECAST_API)['createForecast']>['body'];

/** One that has figures. */
export type KnownForecast = Forecast & {
  readonly [Name in 'basis' | 'from' | 'to' | 'available' | 'free' | 'delivery']: NonNullable<Forecast[Name]>;
};

const POLL_MS = 700;

/** A question about one line item, asked again whenever it changes. */
export const createAskedForecast = (page: Page) => {
  let turn = 0;
  let running: string | undefined;
  let last: Forecast | undefined;
  let known: KnownForecast | undefined;
  let isOutdated = false;
  let problem: Problem | undefined;

  const cancel = (id: string): void => void page.api.send('DELETE', '/forecasts/{id}', { id });
  const end = (): void => {
    turn++;
    if (running !== undefined) cancel(running);
    running = undefined;
    last = undefined;
    problem = undefined;
  };
  /** Whether there is more to come. */
  const take = (answer: Answer<Forecast>): boolean => {
    problem = answer.ok ? undefined : answer.problem;
    if (answer.ok) {
      last = answer.value;
      running = last.state === 'running' ? last.id : undefined;
      if (isKnown(last)) known = last;
      else if (last.state === 'failed') known = undefined;
      isOutdated = known !== last;
    } else {
      running = undefined;
      known = undefined;
    }
    page.redraw();
    return running !== undefined;
  };
  const follow = async (mine: number, id: string): Promise<void> => {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (mine !== turn) return;
      const answer = await page.api.get('/forecasts/{id}', { id });
      if (mine !== turn || !take(answer)) return;
    }
  };
  const begin = async (question: ForecastQuestion, mine: number): Promise<void> => {
    const answer = await page.api.send('POST', '/forecasts', { body: question });
    if (mine !== turn) return answer.ok && answer.value.state === 'running' ? cancel(answer.value.id) : undefined;
    if (take(answer) && answer.ok) await follow(mine, answer.value.id);
  };
  return {
    /** Ends the question before. What was known stays until there are new figures. */
    ask: (question: ForecastQuestion): void => {
      end();
      isOutdated = known !== undefined;
      void begin(question, turn);
      page.redraw();
    },
    /** undefined: nothing is known yet. */
    known: () => known,
    /** Whether what is known is of a question before. */
    isOutdated: () => isOutdated,
    /** 0 to 1 while the bookings are replayed; undefined: they are not. */
    progress: () => (last?.state === 'running' ? last.progress : undefined),
    /** Why there are no figures. */
    reason: () => (last?.state === 'failed' ? (last.reason ?? '') : undefined),
    problem: () => problem,
    /** Forgets what is known, and ends what runs. */
    stop: (): void => {
      end();
      known = undefined;
      isOutdated = false;
    },
  };
};

export type AskedForecast = ReturnType<typeof createAskedForecast>;

const isKnown = (forecast: Forecast): forecast is KnownForecast => forecast.delivery !== null && forecast.state !== 'cancelled';
