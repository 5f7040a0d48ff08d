import { ALERT_KINDS as ALERTS } from '../../src/catalog/model/alert-kinds.ts';
import * as choices from '../../src/catalog/model/choices.ts';
import { CLASS_WORDS as CLASSES } from '../../src/catalog/model/line-item-classes.ts';
import { ATTENTION_WORDS as ATTENTION } from '../../src/delivery/at-stake/attention-words.ts';
import { sayWords } from './service-words.ts';

/** The choices of the service, with their words in the language of the page. */
export const ALERT_KINDS = sayWords(ALERTS);
export const ATTENTION_WORDS = sayWords(ATTENTION);
export const BROWSER_WORDS: choices.Choices = sayWords(choices.BROWSER_WORDS);
export const BUDGET_TYPE_WORDS = sayWords(choices.BUDGET_TYPE_WORDS);
export const CAP_SCOPE_WORDS = sayWords(choices.CAP_SCOPE_WORDS);
export const CLASS_WORDS = sayWords(CLASSES);
export const CONNECTION_WORDS: choices.Choices = sayWords(choices.CONNECTION_WORDS);
export const CREATIVE_FORMAT_WORDS = sayWords(choices.CREATIVE_FORMAT_WORDS);
export const CREATIVE_STATUS_WORDS = sayWords(choices.CREATIVE_STATUS_WORDS);
export const DEVICE_WORDS = sayWords(choices.DEVICE_WORDS);
export const LINE_ITEM_TYPE_WORDS = sayWords(choices.LINE_ITEM_TYPE_WORDS);
export const OS_WORDS: choices.Choices = sayWords(choices.OS_WORDS);
export const PACING_WORDS = sayWords(choices.PACING_WORDS);
export const PRIORITY_WORDS = sayWords(choices.PRIORITY_WORDS);
export const ROTATION_WORDS = sayWords(choices.ROTATION_WORDS);
