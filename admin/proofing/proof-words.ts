import { t } from '../words/texts.ts';

/** Who said what of an ad: `Bea asks for changes`. */
export const saidWords = ({ author, verdict }: { readonly author: string; readonly verdict: 'approved' | 'changes' | null }): string => {
  switch (verdict) {
    case 'approved':
      return t`Approved by ${author}`;
    case 'changes':
      return t`${author} asks for changes`;
    case null:
      return author;
  }
};
