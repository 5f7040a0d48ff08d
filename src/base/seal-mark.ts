const MARK = 'sealed:';

/**
 * What answers show in place of a sealed text (secret-box.ts): of its nonce, which is random and no
 * secret.
 */
export const sealMark = (sealed: string): string => MARK + (sealed.split('.')[1] ?? '').slice(0, 8);

export const isSealMark = (text: string): boolean => text.startsWith(MARK);
