import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { ProviderHttp } from './http.ts';
import { ProviderError, type ProviderEvent, type SignatureProviderClient, type Submission } from './provider.ts';

// API of DocuSeal. Reference: https://www.docuseal.com/docs/api
const Created = z.object({ id: z.number() });
const Found = z.object({ data: z.array(z.object({ submission_id: z.number() })) });
const Submitted = z.object({ status: z.string() });
const Documents = z.object({ documents: z.array(z.object({ url: z.url() })).min(1) });
const Webhook = z.object({
  event_type: z.string(),
  data: z.object({
    id: z.number(),
    email: z.string().nullish(),
    external_id: z.string().nullish(),
    decline_reason: z.string().nullish(),
    submission: z.object({ id: z.number() }).nullish(),
    submitters: z.array(z.object({ external_id: z.string().nullish() })).nullish(),
  }),
});

// DocuSeal repeats events for two days; its signature has the time of the attempt.
const signatureSecondsMax = 300;
const types: Record<string, ProviderEvent['type']> = {
  'form.viewed': 'viewed',
  'form.started': 'viewed',
  'form.completed': 'signed',
  'form.declined': 'declined',
  'submission.completed': 'completed',
  'submission.archived': 'cancelled',
};

export function docuseal(http: ProviderHttp, secret: string, now: () => number = Date.now): SignatureProviderClient {
  return {
    async create({ request, signers, fields, document, filename, externalId }: Submission) {
      // An earlier attempt may have failed after it took effect, and DocuSeal has written to the people.
      const query = new URLSearchParams({ external_id: externalId, limit: '1' });
      const [earlier] = Found.parse(await http.call('GET', `/submitters?${query}`)).data;
      if (earlier) return String(earlier.submission_id);
      // People who only get a copy are no submitters; the builtin link is not used with this provider.
      const acting = signers.filter(({ role }) => role !== 'cc');
      const roleOf = new Map(acting.map(({ id, position }) => [id, `Person ${position + 1}`]));
      const created = await http.call('POST', '/submissions/pdf', {
        name: request.subject,
        send_email: true,
        order: request.signingOrder === 'sequential' ? 'preserved' : 'random',
        expire_at: request.expiresAt.toISOString(),
        message: { subject: request.subject, body: `${request.message ?? ''}\n\n{{submitter.link}}` },
        ...(request.redirectUrl !== null && { completed_redirect_url: request.redirectUrl }),
        documents: [
          {
            name: filename,
            file: Buffer.from(document).toString('base64'),
            fields: fields.map(({ id, signerId, type, page, x, y, width, height, required, label }) => ({
              name: label ?? `Field ${id}`,
              type,
              role: roleOf.get(signerId),
              required,
              areas: [{ x, y, w: width, h: height, page }],
            })),
          },
        ],
        submitters: acting.map(({ id, name, email, order }) => ({
          role: roleOf.get(id),
          name,
          email,
          order: order - 1,
          external_id: externalId,
        })),
      });
      return String(Created.parse(created).id);
    },

    // `create` has sent it.
    async send() {},

    async withdraw(ref) {
      await http.call('DELETE', `/submissions/${ref}`);
    },

    async isCompleted(ref) {
      const { status } = Submitted.parse(await http.call('GET', `/submissions/${ref}`));
      return status === 'completed';
    },

    async download(ref) {
      const { documents } = Documents.parse(await http.call('GET', `/submissions/${ref}/documents`));
      const [first] = documents;
      if (!first) throw new ProviderError('DocuSeal returned no document');
      return http.download(first.url);
    },

    isAuthentic(body, headers) {
      const [, time = '', received = ''] =
        /^(\d{1,12})\.([0-9a-f]{64})$/.exec(headers['x-docuseal-signature'] ?? '') ?? [];
      // Deployments without signatures send the secret as a header of their own.
      if (!received) return isEqual(headers['x-docuseal-secret'] ?? '', secret);
      if (Math.abs(now() / 1_000 - Number(time)) > signatureSecondsMax) return false;
      return isEqual(received, createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex'));
    },

    read(body) {
      const parsed = Webhook.safeParse(body);
      if (!parsed.success) return undefined;
      const { event_type, data } = parsed.data;
      const type = types[event_type];
      if (!type) return undefined;
      const isOfPerson = event_type.startsWith('form.');
      return {
        type,
        externalId:
          data.external_id ?? data.submitters?.find(({ external_id }) => external_id)?.external_id ?? undefined,
        ref: isOfPerson ? data.submission && String(data.submission.id) : String(data.id),
        email: isOfPerson ? (data.email ?? undefined) : undefined,
        reason: data.decline_reason ?? undefined,
      } as ProviderEvent;
    },
  };
}

function isEqual(received: string, expected: string): boolean {
  const [one, other] = [Buffer.from(received), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
