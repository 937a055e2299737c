import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { ProviderHttp } from './http.ts';
import type { ProviderEvent, SignatureProviderClient, Submission } from './provider.ts';

// API v1 of Documenso. Reference: https://docs.documenso.com/developers/public-api
const Created = z.object({
  uploadUrl: z.url(),
  documentId: z.number(),
  recipients: z.array(z.object({ recipientId: z.number(), email: z.string() })),
});
const Found = z.object({ status: z.string() });
const Download = z.object({ downloadUrl: z.url() });
const Recipient = z.object({
  email: z.string(),
  readStatus: z.string().nullish(),
  signingStatus: z.string().nullish(),
  signedAt: z.string().nullish(),
  rejectionReason: z.string().nullish(),
});
const Webhook = z.object({
  event: z.string(),
  payload: z.object({
    id: z.number(),
    externalId: z.string().nullish(),
    recipients: z.array(Recipient).default([]),
  }),
});

const roles: Record<string, string> = { signer: 'SIGNER', approver: 'APPROVER', viewer: 'VIEWER', cc: 'CC' };
const fieldTypes: Record<string, string> = {
  signature: 'SIGNATURE',
  initials: 'INITIALS',
  date: 'DATE',
  text: 'TEXT',
  checkbox: 'CHECKBOX',
};

export function documenso(http: ProviderHttp, secret: string): SignatureProviderClient {
  return {
    // A document is a draft until it is sent: one that is left over by a failure asks nobody to sign.
    async create({ request, signers, fields, document, filename, externalId }: Submission) {
      const created = Created.parse(
        await http.call('POST', '/api/v1/documents', {
          title: filename,
          externalId,
          recipients: signers.map(({ name, email, role, order }) => ({
            name,
            email,
            role: roles[role],
            signingOrder: order,
          })),
          meta: {
            subject: request.subject,
            message: request.message ?? '',
            signingOrder: request.signingOrder.toUpperCase(),
            ...(request.redirectUrl !== null && { redirectUrl: request.redirectUrl }),
          },
        }),
      );
      await http.put(created.uploadUrl, document);
      const recipientOf = new Map(
        created.recipients.map(({ email, recipientId }) => [email.toLowerCase(), recipientId]),
      );
      const emailOf = new Map(signers.map(({ id, email }) => [id, email]));
      if (fields.length)
        await http.call(
          'POST',
          `/api/v1/documents/${created.documentId}/fields`,
          // Percent of the page.
          fields.map(({ signerId, type, page, x, y, width, height, required, label }) => ({
            recipientId: recipientOf.get(emailOf.get(signerId) ?? ''),
            type: fieldTypes[type],
            pageNumber: page,
            pageX: x * 100,
            pageY: y * 100,
            pageWidth: width * 100,
            pageHeight: height * 100,
            fieldMeta: { type: type === 'signature' ? undefined : type, label: label ?? undefined, required },
          })),
        );
      return String(created.documentId);
    },

    // Documenso writes only to recipients to whom it has not written yet.
    async send(ref) {
      await http.call('POST', `/api/v1/documents/${ref}/send`, { sendEmail: true });
    },

    async withdraw(ref) {
      await http.call('DELETE', `/api/v1/documents/${ref}`);
    },

    async isCompleted(ref) {
      const { status } = Found.parse(await http.call('GET', `/api/v1/documents/${ref}`));
      return status === 'COMPLETED';
    },

    async download(ref) {
      const { downloadUrl } = Download.parse(await http.call('GET', `/api/v1/documents/${ref}/download`));
      return http.download(downloadUrl);
    },

    isAuthentic(_body, headers) {
      const received = Buffer.from(headers['x-documenso-secret'] ?? '');
      const expected = Buffer.from(secret);
      return received.length === expected.length && timingSafeEqual(received, expected);
    },

    read(body) {
      const parsed = Webhook.safeParse(body);
      if (!parsed.success) return undefined;
      const { event, payload } = parsed.data;
      const about = { externalId: payload.externalId ?? undefined, ref: String(payload.id) };
      return eventOf(event, payload.recipients, about);
    },
  };
}

/** Events name no person: the newest change among the recipients tells who acted. */
function eventOf(
  event: string,
  recipients: readonly z.output<typeof Recipient>[],
  about: Pick<ProviderEvent, 'externalId' | 'ref'>,
): ProviderEvent | undefined {
  if (event === 'DOCUMENT_COMPLETED') return { ...about, type: 'completed' };
  if (event === 'DOCUMENT_CANCELLED') return { ...about, type: 'cancelled' };
  if (event === 'DOCUMENT_REJECTED') {
    const who = recipients.find(({ signingStatus }) => signingStatus === 'REJECTED');
    return { ...about, type: 'declined', email: who?.email, reason: who?.rejectionReason ?? undefined };
  }
  if (event === 'DOCUMENT_SIGNED' || event === 'DOCUMENT_RECIPIENT_COMPLETED') {
    const signed = recipients.filter(({ signingStatus }) => signingStatus === 'SIGNED');
    const last = signed.sort((one, other) => (one.signedAt ?? '').localeCompare(other.signedAt ?? '')).at(-1);
    return { ...about, type: 'signed', email: last?.email };
  }
  if (event === 'DOCUMENT_OPENED') {
    const who = recipients.find((one) => one.readStatus === 'OPENED' && one.signingStatus === 'NOT_SIGNED');
    return { ...about, type: 'viewed', email: who?.email };
  }
  return undefined;
}
