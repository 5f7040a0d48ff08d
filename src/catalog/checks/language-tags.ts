/** Names every language that the ICU of this Node or browser knows. */
const LANGUAGE_NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** A language tag as BCP 47 spells it, `pt-BR` of `PT_br`; undefined: no tag. */
export const languageTag = (text: string): string | undefined => {
  try {
    return new Intl.Locale(text.trim().replaceAll('_', '-')).toString();
  } catch {
    return undefined;
  }
};

/** Whether a text is a tag of a known language, with at most a script and a region. */
export const isLanguageTag = (text: string): boolean => {
  const tag = languageTag(text);
  if (tag === undefined || !/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/.test(tag)) return false;
  return LANGUAGE_NAMES.of(tag.split('-')[0]!) !== undefined;
};
