import { MAX_WINDOW_S, type FrequencyCap } from '../../src/catalog/model/frequency-caps.ts';
import { duration } from './formats.ts';
import { t } from './texts.ts';

/** The frequency caps of a line item, each in a sentence. */
export const capWords = (caps: readonly FrequencyCap[]): readonly string[] =>
  caps.length === 0 ? [t`One person may see it any number of times.`] : caps.map(sentence);

const sentence = (cap: FrequencyCap): string => {
  const { scope, of, max } = cap;
  const [times, window, ads] = [timesOf(cap), windowOf(cap), scope === 'campaign' ? t`ads of its campaign` : t`ads of its advertiser`];
  if (scope === 'line_item')
    return of === 'clicks'
      ? t`A person who has clicked it ${times} ${window} does not see it any more.`
      : t`One person sees it at most ${times} ${window}.`;
  if (of === 'clicks') return t`A person who has clicked ${ads} ${times} ${window} does not see it any more.`;
  return max === 1
    ? t`Only a person who has not seen ${ads} ${window} sees it.`
    : t`Only a person who has seen ${ads} fewer than ${max} times ${window} sees it.`;
};

const timesOf = ({ max }: FrequencyCap): string => (max === 1 ? t`once` : t`${max} times`);

const windowOf = ({ windowMs }: FrequencyCap): string =>
  windowMs === MAX_WINDOW_S * 1000 ? t`in all` : t`within ${duration(windowMs / 1000)}`;
