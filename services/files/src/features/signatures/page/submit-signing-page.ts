import type { RawBody } from '@tandem/contract';
import type { signatureDeclined, signatureSigned, signing } from '@tandem/files-contract';
import { ApiError, fail, type InTenant } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../../handler.ts';
import { decline } from '../decline-signing.ts';
import { readLink, scopeOfLink } from '../links.ts';
import { checkImage, type SigningInput, sign } from '../sign-document.ts';
import type { Person } from '../signing.ts';

const reasonMax = 1_000;

export const submitSigningPage = (tools: Tools): Handler<typeof signing.submitSigningPage, URLSearchParams> => ({
  async check({ body }) {
    return readForm(body);
  },

  async run({ params: { token }, caller, inTenant, found: form }) {
    const error = await act(tools, inTenant, { token, form, by: caller });
    const query = error === undefined ? '' : `?error=${error}`;
    return { body: '', type: 'text/plain', location: `/sign/${encodeURIComponent(token)}${query}` };
  },
});

function readForm({ bytes, type }: RawBody): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    throw fail('validation_failed', [{ field: 'body', message: 'Must be the form of the page' }]);
  return new URLSearchParams(Buffer.from(bytes).toString('utf8'));
}

/** Signs or declines; returns what is wrong with the form. */
async function act(
  tools: Tools,
  inTenant: InTenant<Tx, typeof signatureSigned | typeof signatureDeclined>,
  { token, form, by }: { token: string; form: URLSearchParams; by: Person },
): Promise<string | undefined> {
  try {
    if (form.get('action') === 'decline') {
      const reason = form.get('reason')?.trim().slice(0, reasonMax);
      if (!reason) return 'reason';
      await decline(tools, inTenant, { token, reason, by });
      return undefined;
    }
    if (form.get('consent') !== 'yes') return 'consent';
    const input = await inputOf(tools, inTenant, token, form);
    await checkImage(tools, readLink(tools, token), input);
    await sign(tools, inTenant, { token, input, by });
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

/** The values of a form: an unchecked box is not in it. */
async function inputOf(
  tools: Tools,
  inTenant: InTenant<Tx, typeof signatureSigned | typeof signatureDeclined>,
  token: string,
  form: URLSearchParams,
): Promise<SigningInput> {
  const link = readLink(tools, token);
  const own = await inTenant(scopeOfLink(link), ({ tx }) =>
    tx.signatureField.findMany({ where: { signerId: link.signerId } }),
  );
  const fields: SigningInput['fields'] = {};
  for (const { id, type } of own) {
    const code = tools.ids.encode('signature_field', link.tenantId, id);
    const value = form.get(`field_${code}`);
    if (type === 'checkbox') fields[code] = value === 'yes';
    else if (value !== null && type !== 'signature' && type !== 'date') fields[code] = value;
  }
  const drawing = form.get('drawing');
  const typed = form.get('typed')?.trim();
  if (form.get('signature') === 'drawn' && drawing) return { fields, signature: { type: 'drawn', value: drawing } };
  return { fields, ...(typed && { signature: { type: 'typed', value: typed } }) };
}

/** The page shows by its state that the link cannot be used any more. */
function problemOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) throw error;
  if (error.code !== 'validation_failed') {
    if (error.code === 'not_found' || error.code === 'link_expired' || error.status === 429) throw error;
    return undefined;
  }
  const field = error.errors[0]?.field ?? '';
  if (field.startsWith('signature')) return 'signature';
  return field.startsWith('fields') ? 'fields' : 'other';
}
