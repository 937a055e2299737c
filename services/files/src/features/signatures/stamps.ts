import type { SignatureField as FieldRow, Signer as SignerRow } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';
import type { Stamp, StampContent } from './pdf/stamp.ts';
import { drawingOf } from './signature-value.ts';
import { openSignature, type StoredSignature } from './stored-signature.ts';
import { languageOf, textsOf, timeText } from './texts.ts';
import type { WholeRequest } from './whole-request.ts';

/** The signatures and field values printed on the pages of a signed document. */
export function stampsOf(tools: Pick<Tools, 'seal'>, { request, signers, fields }: WholeRequest): Stamp[] {
  return signers.flatMap((signer) => {
    const stored = openSignature(tools, signer);
    if (!stored) return [];
    const own = fields.filter(({ signerId }) => signerId === signer.id);
    return own.flatMap(({ page, x, y, width, height, ...field }) => {
      const content = contentOf(field, signer, stored, request.language);
      return content ? [{ page, x, y, width, height, content }] : [];
    });
  });
}

function contentOf(
  { id, type }: Pick<FieldRow, 'id' | 'type'>,
  { name, signedAt }: SignerRow,
  { signature, values }: StoredSignature,
  language: string,
): StampContent | undefined {
  const at = signedAt as Date;
  if (type === 'date')
    return {
      type: 'text',
      text: new Intl.DateTimeFormat(languageOf(language), { dateStyle: 'medium', timeZone: 'UTC' }).format(at),
    };
  if (type === 'signature') {
    if (!signature) return undefined;
    const note = textsOf(language).certificate.signedBy(name, timeText(at, language));
    return signature.type === 'typed'
      ? { type: 'typed', name: signature.value.trim(), note }
      : { type: 'drawn', drawing: drawingOf(signature.value), note };
  }
  const value = values[id];
  if (type === 'checkbox') return { type: 'checkbox', checked: value === true };
  return typeof value === 'string' && value ? { type: 'text', text: value } : undefined;
}
