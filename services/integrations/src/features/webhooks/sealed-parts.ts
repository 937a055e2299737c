import type { Seal } from '@tandem/sealed';
import type { SealedColumn } from '@tandem/service';

const secretContext = 'webhook secret';
const headersContext = 'webhook headers';

/** The sealed columns of this service. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'webhook', column: 'secret', context: secretContext, ref: 'seal_ref' },
  { table: 'webhook', column: 'previous_secret', context: secretContext, ref: 'seal_ref' },
  { table: 'webhook', column: 'custom_headers', context: headersContext, ref: 'seal_ref' },
];

interface SealedValues {
  sealRef: string;
  secret: string;
  previousSecret: string | null;
  previousSecretExpiresAt: Date | null;
  customHeaders: string | null;
}

/** Encrypts a secret for one webhook. */
export function sealSecret(seal: Seal, sealRef: string, secret: string): string {
  return seal.seal(secret, `${secretContext} ${sealRef}`);
}

/** The secrets that sign now: the current one, and the previous one until it expires. */
export function openSecrets(
  seal: Seal,
  { sealRef, secret, previousSecret, previousSecretExpiresAt }: SealedValues,
): string[] {
  const isLive = previousSecret !== null && previousSecretExpiresAt !== null && previousSecretExpiresAt > new Date();
  return [secret, ...(isLive ? [previousSecret] : [])].map((sealed) =>
    seal.open(sealed, `${secretContext} ${sealRef}`),
  );
}

/** Encrypts custom headers, which may hold a password of the receiver's. */
export function sealHeaders(seal: Seal, sealRef: string, headers: Record<string, string>) {
  const customHeaderNames = Object.keys(headers);
  return {
    customHeaderNames,
    customHeaders: customHeaderNames.length
      ? seal.seal(JSON.stringify(Object.entries(headers)), `${headersContext} ${sealRef}`)
      : null,
  };
}

/** The custom headers as they are sent. */
export function openHeaders(
  seal: Seal,
  { sealRef, customHeaders }: Pick<SealedValues, 'sealRef' | 'customHeaders'>,
): [string, string][] {
  return customHeaders === null ? [] : JSON.parse(seal.open(customHeaders, `${headersContext} ${sealRef}`));
}
