import { createServer, type Server } from 'node:http';
import S3rver from 's3rver';

/** A bucket of a server that speaks the API of S3. */
export interface Bucket {
  /** `s3://bucket/prefix?…` of a lake in it. */
  urlOf(prefix: string): string;
  /** Every request is answered with 403, as when a policy of the bucket was changed. */
  refuse(): Promise<void>;
  /** It takes requests again. */
  admit(): Promise<void>;
  end(): Promise<void>;
}

const NAME = 'lake';
/** The only ones that s3rver knows. */
export const BUCKET_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' } as const;
const REFUSAL = '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';

/** @param directory where it keeps the objects */
export const startBucket = async (directory: string): Promise<Bucket> => {
  const open = async (port: number) => {
    const server = new S3rver({ port, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: NAME }] });
    return { server, port: (await server.run()).port };
  };
  const first = await open(0);
  const { port } = first;
  let server: S3rver | undefined = first.server;
  let refusing: Server | undefined;
  const close = async (): Promise<void> => {
    await server?.close();
    server = undefined;
    const old = refusing;
    refusing = undefined;
    if (old === undefined) return;
    old.closeAllConnections();
    await new Promise<void>((resolve) => old.close(() => resolve()));
  };
  return {
    urlOf: (prefix) => `s3://${NAME}/${prefix}?region=us-east-1&path_style=true&endpoint=http://127.0.0.1:${port}`,
    refuse: async () => {
      await close();
      const refusal = createServer((req, res) => {
        req.resume();
        res.writeHead(403, { 'content-type': 'application/xml' }).end(REFUSAL);
      });
      await new Promise<void>((resolve) => refusal.listen(port, '127.0.0.1', resolve));
      refusing = refusal;
    },
    admit: async () => {
      await close();
      ({ server } = await open(port));
    },
    end: close,
  };
};
