import type { Choices } from '../../src/catalog/model/choices.ts';
import { BROWSER_WORDS, CONNECTION_WORDS, DEVICE_WORDS, OS_WORDS } from './choice-words.ts';
import { rangeWords } from '../../src/targeting/match-targeting.ts';
import {
  isPrefix,
  isRange,
  type RuleFields,
  type TargetedValue,
  type TargetedValues,
  type TargetingFields,
} from '../../src/targeting/targeting-rules.ts';
import type { Dimensions } from '../api/wire.ts';
import { locale } from './language.ts';
import { t } from './texts.ts';

export interface TargetingNames {
  readonly countryName: (code: string) => string;
  readonly dimensions: Dimensions;
}

/** Rules of a targeting in words, those that exclude last; none when every visitor matches. */
export const targetingWords = ({ exclude, ...included }: TargetingFields, names: TargetingNames): readonly string[] => [
  ...ruleWords(included, names),
  ...ruleWords(exclude ?? {}, names).map((words) => t`not ${words}`),
];

const LANGUAGE_NAMES = new Intl.DisplayNames([locale], { type: 'language' });
const languageName = (tag: string): string => LANGUAGE_NAMES.of(tag) ?? tag;
const labelIn =
  (choices: Choices) =>
  (value: string): string =>
    choices[value]?.label ?? value;

const ruleWords = (rules: RuleFields, { countryName, dimensions }: TargetingNames): readonly string[] => {
  const list = (values: readonly string[] | undefined, before: string, nameOf = (value: string) => value): readonly string[] =>
    values?.length ? [`${before} ${values.map(nameOf).join(', ')}`] : [];
  const named = (values: RuleFields['key_values'], labelOf = (name: string) => name): readonly string[] =>
    Object.entries(values ?? {}).map(
      ([name, given]) => `${labelOf(name)}: ${([given] as readonly TargetedValues[]).flat().map(valueWords).join(', ')}`,
    );
  return [
    ...list(rules.countries, t`in`, countryName),
    ...list(rules.regions, t`in`),
    ...list(rules.cities, t`in`),
    ...list(rules.devices, t`on`, labelIn(DEVICE_WORDS)),
    ...list(rules.languages, t`reading`, languageName),
    ...list(rules.browsers, t`in the browser`, labelIn(BROWSER_WORDS)),
    ...list(rules.os, t`on`, labelIn(OS_WORDS)),
    ...list(rules.connection, t`connected by`, labelIn(CONNECTION_WORDS)),
    ...list(rules.urls, t`on pages of`),
    ...list(rules.referrers, t`coming from`),
    ...list(rules.audiences, t`in the audience`),
    ...named(rules.dimensions, (name) => dimensions[name]?.title ?? name),
    ...named(rules.key_values),
  ];
};

const valueWords = (value: TargetedValue): string =>
  isRange(value) ? rangeWords(value) : isPrefix(value) ? `${value.prefix}…` : String(value);
