import path from 'node:path';

/**
 * Builds the documents to public/docs. VitePress fails on a link that leads nowhere.
 * @param {string} root the checkout
 */
export async function buildDocs(root) {
  const { build } = await import('vitepress');
  await build(path.join(root, 'docs'));
}
