import type { Tools } from '../../handler.ts';
import type { FieldValues } from './field-values.ts';
import type { GivenSignature } from './signature-value.ts';

/** The input of a signer that is stored, sealed. */
export interface StoredSignature {
  signature: GivenSignature | null;
  values: FieldValues;
}

const sealContext = 'signature';

/** The encrypted column of signatures and values. */
export const sealedSignatures = { table: 'signer', column: 'signature', context: sealContext, ref: 'seal_ref' };

/** Seals the signature and values of a person for the column. */
export function sealSignature(
  { seal }: Pick<Tools, 'seal'>,
  { sealRef }: { sealRef: string },
  stored: StoredSignature,
): string {
  return seal.seal(JSON.stringify(stored), `${sealContext} ${sealRef}`);
}

/** The signature and values of a person; undefined if they did not sign, or were erased. */
export function openSignature(
  { seal }: Pick<Tools, 'seal'>,
  { signature, sealRef }: { signature: string | null; sealRef: string },
): StoredSignature | undefined {
  return signature === null ? undefined : JSON.parse(seal.open(signature, `${sealContext} ${sealRef}`));
}
