import { LakeFileGone, type LakeStore } from './lake-store.ts';

/** Of one request; a file has at most MAX_ROWS events, about 30 MB. */
const REQUEST_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Objects of one request. https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html */
const MAX_DELETED = 1_000;

/**
 * A lake in a bucket of S3 or of a store that speaks its API: `s3://bucket/prefix?region=eu-central-1`, elsewhere with
 * `&endpoint=https://…` and `&path_style=true`. Credentials are those that the SDK finds (environment, profile, role of the
 * machine). An object appears whole.
 */
export const createS3Store = async (url: URL): Promise<LakeStore> => {
  // Loaded by those who have such a lake.
  const { DeleteObjectCommand, DeleteObjectsCommand, GetObjectCommand, ListObjectsV2Command, NoSuchKey, PutObjectCommand, S3Client } =
    await import('@aws-sdk/client-s3');
  const Bucket = url.hostname;
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  const keyOf = (name: string): string => (prefix === '' ? name : `${prefix}/${name}`);
  const nameOf = (key: string): string => (prefix === '' ? key : key.slice(prefix.length + 1));
  const [region, endpoint] = [url.searchParams.get('region'), url.searchParams.get('endpoint')];
  const client = new S3Client({
    ...(region !== null && { region }),
    ...(endpoint !== null && { endpoint }),
    forcePathStyle: url.searchParams.get('path_style') === 'true',
    // Stores other than Amazon's do not all know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { requestTimeout: REQUEST_TIMEOUT_MS, connectionTimeout: CONNECT_TIMEOUT_MS },
  });
  const until = (signal?: AbortSignal) => (signal === undefined ? {} : { abortSignal: signal });

  return {
    put: async (name, bytes, signal) => {
      await client.send(new PutObjectCommand({ Bucket, Key: keyOf(name), Body: bytes, ContentLength: bytes.length }), until(signal));
    },
    get: async (name, signal) => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: keyOf(name) }), until(signal));
        return (await Body?.transformToByteArray()) ?? new Uint8Array();
      } catch (fault) {
        throw fault instanceof NoSuchKey ? new LakeFileGone(name) : fault;
      }
    },
    list: async (folder, signal) => {
      const names: string[] = [];
      for (let token: string | undefined; ;) {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket, Prefix: `${keyOf(folder)}/`, ...(token !== undefined && { ContinuationToken: token }) }),
          until(signal),
        );
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) names.push(nameOf(Key));
        token = page.NextContinuationToken;
        if (token === undefined) return names.sort();
      }
    },
    remove: async (names, signal) => {
      const [only] = names;
      if (names.length === 1 && only !== undefined) {
        await client.send(new DeleteObjectCommand({ Bucket, Key: keyOf(only) }), until(signal));
        return;
      }
      for (let from = 0; from < names.length; from += MAX_DELETED) {
        const Objects = names.slice(from, from + MAX_DELETED).map((name) => ({ Key: keyOf(name) }));
        const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }), until(signal));
        if (Errors[0])
          throw new Error(`the store removed all but ${Errors.length} of ${Objects.length} files: ${Errors[0].Code ?? 'unknown'}`);
      }
    },
    close: () => client.destroy(),
  };
};
