import { MAX_WINDOW_S, type FrequencyCap } from '../../src/catalog/model/frequency-caps.ts';
import { duration } from './formats.ts';

/** The frequency caps of a line item, each in a sentence. */
export const capWords = (caps: readonly FrequencyCap[]): readonly string[] =>
  caps.length === 0 ? ['One person may see it any number of times.'] : caps.map(sentence);

const SUBJECTS = { line_item: 'it', campaign: 'ads of its campaign', advertiser: 'ads of its advertiser' } as const;

const sentence = ({ scope, of, max, windowMs }: FrequencyCap): string => {
  const times = max === 1 ? 'once' : `${max} times`;
  const window = windowMs === MAX_WINDOW_S * 1000 ? 'in all' : `within ${duration(windowMs / 1000)}`;
  if (of === 'clicks') return `It is not shown any more to a person who has clicked ${SUBJECTS[scope]} ${times} ${window}.`;
  return scope === 'line_item'
    ? `One person sees it at most ${times} ${window}.`
    : `It is shown only to a person who has seen ${max === 1 ? `no ${SUBJECTS[scope]}` : `fewer than ${max} ${SUBJECTS[scope]}`} ${window}.`;
};
