import { media, operations, redirect, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Checksum } from './file.ts';
import {
  DeclineReason,
  SignatureField,
  SignatureProvider,
  SignatureRequest,
  Signer,
  signatureCancelled,
  signatureDeclined,
  signatureLimits,
  signatureSigned,
  signatureViewed,
} from './signatures.ts';

const withToken = z.object({
  token: z
    .string()
    .max(2_000)
    .meta({ description: 'The token of the link', examples: ['ThisIsOnlyAnExample'] }),
});

/** A signature request as one of its signers sees it. */
export const Signing = z.object({
  status: SignatureRequest.shape.status,
  subject: SignatureRequest.shape.subject,
  message: SignatureRequest.shape.message,
  senderName: z.string().meta({ description: 'The company that asks for the signature', examples: ['Example Ltd'] }),
  filename: z.string().meta({ description: 'The name of the document', examples: ['contract.pdf'] }),
  pageCount: SignatureRequest.shape.pageCount,
  documentSha256: Checksum,
  documentUrl: z.url().meta({
    description: 'The document; once all have signed, the signed one',
    examples: ['https://api.example.com/v1/public/sign/ThisIsOnlyAnExample/document'],
  }),
  expiresAt: timestamp().describe('Until when people can sign'),
  redirectUrl: SignatureRequest.shape.redirectUrl,
  consentText: z.string().meta({ description: 'What the person accepts by signing', examples: ['I agree.'] }),
  canSign: z.boolean().meta({ description: 'Whether it is the turn of the person', examples: [true] }),
  signer: Signer.pick({ name: true, email: true, role: true, status: true }).describe('The person of the link'),
  others: z
    .array(Signer.pick({ name: true, role: true, status: true }))
    .meta({ description: 'The other people', examples: [[]] }),
  fields: z
    .array(SignatureField.omit({ signerId: true }))
    .meta({ description: 'The places that the person fills in', examples: [[]] }),
});

const linkErrors = {
  link_expired: [404, 'The time to sign is over, or the request was ended; ask the sender for a new one'],
} as const;
const actErrors = {
  ...linkErrors,
  already_signed: [409, 'You have signed this document already'],
  already_declined: [409, 'You have declined to sign this document'],
  not_your_turn: [409, 'It is not your turn yet; you get a message as soon as it is'],
  nothing_to_sign: [409, 'You get this document for information; there is nothing to sign'],
} as const;

export const signing = operations({
  getSigning: {
    method: 'GET',
    path: '/v1/public/sign/:token',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Retrieve what a link to sign is about',
    description: 'Changes nothing, because mail scanners open links.',
    params: withToken,
    reply: Signing,
    message: 'Signature request retrieved',
    errors: linkErrors,
  },
  readSigningDocument: {
    method: 'GET',
    path: '/v1/public/sign/:token/document',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Read the document of a link to sign',
    description:
      'Records that the person has opened the document. Once all have signed, it returns the signed document.',
    params: withToken,
    reply: media('application/pdf'),
    message: 'The document',
    emits: [signatureViewed],
    errors: linkErrors,
  },
  signDocument: {
    method: 'POST',
    path: '/v1/public/sign/:token/sign',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Sign a document',
    description: 'Approvers send no signature.',
    params: withToken,
    body: z.object({
      consent: z
        .literal(true, { error: 'Must be true: accept the consent text to sign' })
        .describe('Whether the person accepts `consentText`'),
      signature: z
        .object({
          type: z
            .enum(['typed', 'drawn'], { error: 'Must be typed or drawn' })
            .meta({ description: 'How the signature is given', examples: ['typed'] }),
          value: text(signatureLimits.drawing).meta({
            description:
              'Typed: the name. Drawn: a PNG as a `data:image/png;base64,` URL, or the path of the strokes, `M x y L x y …`, in whole numbers in a box of 1000 by 300',
            examples: ['Ada Lovelace'],
          }),
        })
        .meta({ description: 'The signature', examples: [{ type: 'typed', value: 'Ada Lovelace' }] })
        .optional(),
      fields: z
        .record(z.string().max(64), z.union([text(500), z.boolean()], { error: 'Must be a text, true or false' }))
        .meta({ description: 'The values of the fields, by the id of the field', examples: [{}] })
        .default({}),
    }),
    reply: Signing,
    // The field of the same name in the request has another form.
    example: { fields: [] },
    message: 'Thank you, you have signed',
    emits: [signatureSigned],
    errors: actErrors,
  },
  declineSigning: {
    method: 'POST',
    path: '/v1/public/sign/:token/decline',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Decline to sign a document',
    description: 'Ends the request for everybody.',
    params: withToken,
    body: z.object({ reason: DeclineReason.describe('Why; the sender reads it') }),
    reply: z.object({ declined: z.literal(true).describe('Always true') }),
    message: 'You have declined to sign',
    emits: [signatureDeclined],
    errors: actErrors,
  },
  showSigningPage: {
    method: 'GET',
    path: '/sign/:token',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Show the page to sign a document',
    description: 'Returns an HTML page for the link of a message. Opening it changes nothing.',
    params: withToken,
    query: z.object({
      error: z
        .string()
        .max(200)
        .meta({ description: 'What was wrong with the form', examples: [''] })
        .optional(),
    }),
    reply: media('text/html'),
    message: 'The HTML page',
  },
  submitSigningPage: {
    method: 'POST',
    path: '/sign/:token',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Sign or decline by the form of the page',
    description: 'For browsers without JavaScript: takes the form of the page and redirects to the page.',
    params: withToken,
    rawBody: { headers: {} },
    reply: redirect(),
    message: 'A redirect to the page',
    emits: [signatureSigned, signatureDeclined],
    errors: linkErrors,
  },
  receiveSignatureWebhook: {
    method: 'POST',
    path: '/v1/files/signatures/webhooks/:provider',
    audience: 'public',
    fromSharedAddresses: true,
    summary: 'Receive an event of a signature provider',
    description:
      'The webhook that you enter at Documenso or DocuSeal, with the secret of your settings. A repeated event has its effect once. A provider that is not configured is not found.',
    params: z.object({
      provider: SignatureProvider.exclude(['builtin']).meta({ description: 'Who reports', examples: ['documenso'] }),
    }),
    rawBody: {
      headers: {
        'X-Documenso-Secret': 'The secret that you entered at Documenso',
        'X-Docuseal-Signature': 'The signature of DocuSeal: `<timestamp>.<HMAC-SHA256 of timestamp.body>`',
        'X-Docuseal-Secret': 'The secret that you entered at DocuSeal as a header of its webhook',
      },
    },
    reply: z.object({ received: z.boolean().meta({ description: 'Whether the event is new', examples: [true] }) }),
    message: 'Event received',
    emits: [signatureViewed, signatureSigned, signatureDeclined, signatureCancelled],
    errors: { invalid_signature: [401, 'The signature or secret does not match'] },
  },
});
