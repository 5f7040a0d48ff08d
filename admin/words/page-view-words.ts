import type { PageDevice, PageScheme } from '../../src/catalog/model/page-views.ts';
import { t } from './texts.ts';

export const DEVICE_WORDS: Readonly<Record<PageDevice, string>> = { desktop: t`Desktop`, phone: t`Phone` };
export const SCHEME_WORDS: Readonly<Record<PageScheme, string>> = { light: t`Light`, dark: t`Dark` };

/** A device with the colours of the page on it. */
export const VIEW_WORDS: Readonly<Record<PageDevice, Readonly<Record<PageScheme, string>>>> = {
  desktop: { light: t`desktop, light`, dark: t`desktop, dark` },
  phone: { light: t`phone, light`, dark: t`phone, dark` },
};
