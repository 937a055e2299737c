import type { Signer as SignerRow } from '../../generated/client.ts';

/** The address that an erasure stores instead of that of a person. */
export function erasedEmail(signerId: number): string {
  return `erased-${signerId}@erased.invalid`;
}

/** Whether the person was erased, so that nobody writes to them. */
export function isErased({ id, email }: Pick<SignerRow, 'id' | 'email'>): boolean {
  return email === erasedEmail(id);
}

/** The values that an erasure stores instead of name and signature, which a signed document shows. */
export const erasedContent = { name: 'Erased', signature: null };
