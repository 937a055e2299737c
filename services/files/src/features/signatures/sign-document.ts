import { signatureSigned, type signing } from '@tandem/files-contract';
import { failField, type InTenant } from '@tandem/service';
import type { Handler, SignLink, Tools, Tx } from '../../handler.ts';
import { readValues } from './field-values.ts';
import { readLink, scopeOfLink } from './links.ts';
import { eventOf, writeRequest } from './request.ts';
import { checkSignature, drawingOf, type GivenSignature } from './signature-value.ts';
import { asSigning, changeSigner, goOn, lockSeen, type Person, requireAct, type SigningRecord } from './signing.ts';
import { type StoredSignature, sealSignature } from './stored-signature.ts';
import { consentOf } from './texts.ts';
import { record } from './trail.ts';

/** The input of a signer. */
export interface SigningInput {
  signature?: GivenSignature | undefined;
  fields: Record<string, string | boolean>;
}

export const signDocument = (tools: Tools): Handler<typeof signing.signDocument> => ({
  async check({ params, body }) {
    await checkImage(tools, readLink(tools, params.token), body);
  },
  run: ({ params, body, caller, inTenant }) => sign(tools, inTenant, { token: params.token, input: body, by: caller }),
});

/** Checks what does not depend on the request, outside of a transaction. */
export async function checkImage(tools: Tools, { tenantId }: SignLink, { signature }: SigningInput): Promise<void> {
  if (!signature) return;
  checkSignature(signature);
  if (signature.type !== 'drawn') return;
  const drawing = drawingOf(signature.value);
  // The image is decoded now, because a damaged one would prevent the signed document later.
  if ('png' in drawing && !(await tools.pdf.isImage(drawing.png, tenantId)))
    throw failField('signature.value', 'Must be a PNG image that can be opened');
}

/** Signs or approves for the person of a link. Of two attempts at once, the second one finds that the person has signed. */
export function sign(
  tools: Tools,
  inTenant: InTenant<Tx, typeof signatureSigned>,
  { token, input, by }: { token: string; input: SigningInput; by: Person },
): Promise<SigningRecord> {
  const link = readLink(tools, token);
  return inTenant(scopeOfLink(link), async ({ tx, emit, schedule }) => {
    const seen = await lockSeen(tx, link, token);
    requireAct(seen);
    const { signer } = seen;
    const isSigner = signer.role === 'signer';
    if (isSigner && !input.signature) throw failField('signature', 'Must be given to sign');
    const stored: StoredSignature = {
      signature: (isSigner && input.signature) || null,
      values: readValues(tools, link.tenantId, { signer, fields: seen.fields, input: input.fields }),
    };
    await changeSigner(tx, signer, {
      status: 'signed',
      signedAt: new Date(),
      ip: by.ip ?? null,
      userAgent: by.userAgent?.slice(0, 300) ?? null,
      consentText: consentOf(signer, seen.request.language),
      signature: sealSignature(tools, signer, stored),
    });
    seen.request = await writeRequest(tx, seen.request.id, { status: 'in_progress' });
    await record(tx, seen.request, { type: isSigner ? 'signed' : 'approved', signerId: signer.id, by });
    const event = eventOf(seen.request);
    emit(signatureSigned, { ...event, data: { ...event.data, signerId: signer.id } });
    await goOn(tools, { tx, schedule }, seen);
    return asSigning(tools, seen, token);
  });
}
