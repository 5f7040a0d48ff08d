import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Of a note of the history; the service takes 500. */
const MAX_NOTE = 300;

/** The commit whose files are applied, for the history: of the CI, or of the working directory. undefined: there is none. */
export const noteOfCommit = async ({ GITHUB_SHA, CI_COMMIT_SHA }: NodeJS.ProcessEnv, folder: string): Promise<string | undefined> => {
  const git = async (...args: readonly string[]): Promise<string | undefined> => {
    try {
      return (await promisify(execFile)('git', args, { cwd: folder })).stdout.trim();
    } catch {
      // No git, or no repository.
      return undefined;
    }
  };
  const commit = GITHUB_SHA ?? CI_COMMIT_SHA ?? (await git('rev-parse', 'HEAD'));
  if (commit === undefined) return undefined;
  const subject = await git('log', '-1', '--format=%s', commit);
  return `commit ${commit.slice(0, 12)}${subject ? `: ${subject}` : ''}`.slice(0, MAX_NOTE);
};
