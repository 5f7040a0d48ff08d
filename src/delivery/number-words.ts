const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** A count in a sentence of the service: `4,237`. The page writes it again as its language does. */
export const countWords = (count: number): string => whole.format(count);

/** A share in such a sentence: `16.9%`. */
export const shareWords = (of: number): string => share.format(of);
