import type { Signer as SignerRow } from '../../generated/client.ts';

/** What an erasure stores instead of the address of a person. */
export function erasedEmail(signerId: number): string {
  return `erased-${signerId}@erased.invalid`;
}

/** Whether the person was erased, so that nobody writes to them. */
export function isErased({ id, email }: Pick<SignerRow, 'id' | 'email'>): boolean {
  return email === erasedEmail(id);
}

/** What an erasure stores instead of the content that a signed document shows. */
export const erasedContent = { name: 'Erased', signature: null };
