import type { Seal } from '@tandem/sealed';

interface SealedColumns {
  sealRef: string;
  secret: string;
  previousSecret: string | null;
  previousSecretExpiresAt: Date | null;
  customHeaders: string | null;
}

/** Encrypts a secret for one webhook. */
export function sealSecret(seal: Seal, sealRef: string, secret: string): string {
  return seal.seal(secret, `webhook secret ${sealRef}`);
}

/** The secrets that sign now: the current one, and the one before it until its time is over. */
export function openSecrets(
  seal: Seal,
  { sealRef, secret, previousSecret, previousSecretExpiresAt }: SealedColumns,
): string[] {
  const isLive = previousSecret !== null && previousSecretExpiresAt !== null && previousSecretExpiresAt > new Date();
  return [secret, ...(isLive ? [previousSecret] : [])].map((sealed) => seal.open(sealed, `webhook secret ${sealRef}`));
}

/** Encrypts custom headers, which may hold a password of the receiver's. */
export function sealHeaders(seal: Seal, sealRef: string, headers: Record<string, string>) {
  const customHeaderNames = Object.keys(headers);
  return {
    customHeaderNames,
    customHeaders: customHeaderNames.length
      ? seal.seal(JSON.stringify(Object.entries(headers)), `webhook headers ${sealRef}`)
      : null,
  };
}

/** The custom headers as they are sent. */
export function openHeaders(
  seal: Seal,
  { sealRef, customHeaders }: Pick<SealedColumns, 'sealRef' | 'customHeaders'>,
): [string, string][] {
  return customHeaders === null ? [] : JSON.parse(seal.open(customHeaders, `webhook headers ${sealRef}`));
}
