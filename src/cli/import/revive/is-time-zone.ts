/** Whether a text is the name of a time zone, as the service takes it. */
export const isTimeZone = (name: string): boolean => name === 'UTC' || Intl.supportedValuesOf('timeZone').includes(name);
