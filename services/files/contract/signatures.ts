import { email, event, id, name, requiredText, secret, stateTable, text, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Checksum } from './file.ts';

/** Limits of signature requests. */
export const signatureLimits = {
  signers: 20,
  fields: 200,
  daysMax: 365,
  daysUsual: 30,
  remindHours: 1,
  /** Links of one person that are valid at once: a person who was reminded may follow any of the messages. */
  linksMax: 50,
  /** Characters of a drawn signature: a PNG of 130 KB in base64, or the path of its strokes. */
  drawing: 180_000,
};

export const SignatureStatus = z
  .enum(['draft', 'sent', 'in_progress', 'completed', 'declined', 'expired', 'cancelled'])
  .describe(
    'The status of the request: `in_progress` since somebody opened the document, `completed` once the signed document is stored as a version of the file',
  );
export const SignerStatus = z
  .enum(['pending', 'sent', 'viewed', 'signed', 'declined', 'expired'])
  .describe('`pending` until the link is sent; a viewer is done when the status is `viewed`');
export const SignerRole = z.enum(['signer', 'approver', 'viewer', 'cc']).meta({
  description:
    '`signer` signs, `approver` approves without a signature, `viewer` has to open the document, `cc` only gets the signed document',
  examples: ['signer'],
});
export const SignatureProvider = z
  .enum(['builtin', 'documenso', 'docuseal'])
  .meta({ description: 'Who collects the signatures', examples: ['builtin'] });
export const SigningOrder = z
  .enum(['parallel', 'sequential'])
  .meta({ description: 'Whether all can sign at once, or in the order of `order`', examples: ['parallel'] });

export const signatureStates = stateTable<z.output<typeof SignatureStatus>>('SignatureRequest', {
  created: { draft: 'createSignatureRequest', sent: 'createSignatureRequest' },
  changes: {
    draft: { sent: 'sendSignatureRequest', cancelled: 'cancelSignatureRequest' },
    sent: { cancelled: 'cancelSignatureRequest' },
    in_progress: { cancelled: 'cancelSignatureRequest' },
    completed: {},
    declined: {},
    expired: {},
    cancelled: {},
  },
  automatic: {
    sent: { in_progress: 'signDocument', declined: 'declineSigning', expired: 'expire-request.job' },
    in_progress: { completed: 'complete-request.job', declined: 'declineSigning', expired: 'expire-request.job' },
    // A provider reports late that everybody signed in time.
    expired: { completed: 'fetch-signed.job' },
  },
});

const fraction = () =>
  z.number({ error: 'Must be a number from 0 to 1' }).min(0, 'Must be at least 0').max(1, 'Must be at most 1');

export const SignatureFieldType = z
  .enum(['signature', 'initials', 'date', 'text', 'checkbox'])
  .meta({ description: 'What is printed there; a date is that of signing', examples: ['signature'] });

/** A place on a page that a signer fills in. */
export const SignatureField = z.object({
  id: id('signature_field'),
  signerId: id('signer').describe('Who fills it in'),
  type: SignatureFieldType,
  page: z
    .int()
    .min(1, 'Must be at least 1')
    .meta({ description: 'The page; the first one is 1', examples: [1] }),
  x: fraction().meta({ description: 'The left edge, relative to the width of the page', examples: [0.1] }),
  y: fraction().meta({ description: 'The upper edge, relative to the height of the page', examples: [0.8] }),
  width: fraction().meta({ description: 'The width, relative to that of the page', examples: [0.3] }),
  height: fraction().meta({ description: 'The height, relative to that of the page', examples: [0.06] }),
  required: z.boolean().meta({ description: 'Whether it must be filled in', examples: [true] }),
  label: text(100)
    .nullable()
    .meta({ description: 'What the signer is asked for', examples: ['Place'] }),
});

export const Signer = z.object({
  id: id('signer'),
  name: name(100).meta({ description: 'The name of the person', examples: ['Ada Lovelace'] }),
  email: email().meta({ description: 'Where the link is sent', examples: ['ada@example.com'] }),
  role: SignerRole,
  order: z
    .int()
    .min(1, 'Must be at least 1')
    .max(100, 'Must be at most 100')
    .meta({ description: 'The place in a sequential order; those with the same number sign at once', examples: [1] }),
  status: SignerStatus,
  viewedAt: timestamp().nullable().describe('When the person first opened the document'),
  signedAt: timestamp().nullable().describe('When the person signed or approved'),
  declinedAt: timestamp().nullable().describe('When the person declined'),
  declineReason: z
    .string()
    .nullable()
    .meta({ description: 'Why the person declined', examples: [null] }),
  remindedAt: timestamp().nullable().describe('When the person was last reminded'),
  signingUrl: secret(
    z
      .url()
      .nullable()
      .meta({
        description:
          'The link of the person, only in the sandbox, where no mail is sent, and only in the response that issues it: of the request that sends or reminds. A person whose turn comes later gets one by a reminder',
        examples: [null],
      }),
  ),
});

export const SignatureRequest = z.object({
  id: id('signature_request'),
  fileId: id('file'),
  versionId: id('file_version').describe('The version of the file that is signed'),
  documentSha256: Checksum.describe('The SHA-256 checksum of the document that is signed, in hexadecimal'),
  pageCount: z.int().meta({ description: 'The number of pages of the document', examples: [3] }),
  subject: name(150).meta({ description: 'What the mail is about', examples: ['Contract 2026'] }),
  message: text(2_000)
    .nullable()
    .meta({ description: 'A text for the signers', examples: ['Please sign by Friday.'] }),
  signingOrder: SigningOrder,
  status: SignatureStatus,
  allowedTransitions: z
    .array(SignatureStatus)
    .meta({ description: 'The statuses to which you can change the request', examples: [['cancelled']] }),
  provider: SignatureProvider,
  expiresAt: timestamp().describe('Until when people can sign'),
  reminderEveryDays: z
    .int()
    .min(1, 'Must be at least 1')
    .max(30, 'Must be at most 30')
    .nullable()
    .meta({ description: 'After how many days those who have not signed are reminded', examples: [3] }),
  redirectUrl: z
    .url({ protocol: /^https?$/, error: 'Must be an http or https URL' })
    .max(2_000, 'Must be at most 2000 characters')
    .nullable()
    .meta({ description: 'Where the page leads after signing', examples: ['https://example.com/thanks'] }),
  signers: z.array(Signer).describe('The people, in the order of the request'),
  fields: z.array(SignatureField).describe('The places that they fill in'),
  completedVersionId: id('file_version').nullable().describe('The version of the file that is the signed document'),
  completedSha256: Checksum.nullable().describe('The SHA-256 checksum of the signed document'),
  cancelReason: z
    .string()
    .nullable()
    .meta({ description: 'Why the request was cancelled', examples: [null] }),
  problem: z
    .enum(['completion_failed', 'provider_failed'])
    .nullable()
    .meta({
      description: 'Why the request does not go on although nobody has to act: retry it. Null if there is no problem',
      examples: [null],
    }),
  createdBy: id('user').nullable(),
  sentAt: timestamp().nullable().describe('When the request was sent'),
  completedAt: timestamp().nullable().describe('When the signed document was stored'),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** The text that a person accepts to sign, and the reason of a refusal. */
export const DeclineReason = requiredText(1_000).meta({ examples: ['The price is not the agreed one'] });

// Consumers read ids and statuses only: names and addresses of signers leave the service by mail alone.
const record = SignatureRequest.pick({
  id: true,
  fileId: true,
  versionId: true,
  status: true,
  subject: true,
  provider: true,
  expiresAt: true,
  createdBy: true,
  completedVersionId: true,
  version: true,
});
const change = {
  group: 'files',
  readPermission: 'files:read',
  target: 'signature_request',
  data: z.object({
    signatureRequestId: id('signature_request'),
    fileId: id('file'),
    status: SignatureStatus,
  }),
  record,
  example: { signatureRequestId: 'dWLrtg4LebBGgzaP', fileId: 'oDROIGD4LWMZUfLp', status: 'in_progress' },
} as const;
const ofSigner = {
  ...change,
  data: change.data.extend({ signerId: id('signer') }),
  example: { ...change.example, signerId: 'rfEmQ2aihbZeOiI8' },
} as const;

export const signatureSent = event('signature.sent', {
  ...change,
  description: 'A document is sent to be signed',
  action: 'signature_request.send',
  example: { ...change.example, status: 'sent' },
});
export const signatureViewed = event('signature.viewed', {
  ...ofSigner,
  description: 'A person opens a document to be signed for the first time',
  action: 'signature_request.view',
});
export const signatureSigned = event('signature.signed', {
  ...ofSigner,
  description: 'A person signs or approves a document',
  action: 'signature_request.sign',
});
export const signatureCompleted = event('signature.completed', {
  ...change,
  description: 'Everybody has signed, and the signed document is stored',
  action: 'signature_request.complete',
  data: change.data.extend({ versionId: id('file_version').describe('The version that is the signed document') }),
  example: { ...change.example, status: 'completed', versionId: 'RaSkQj1FfnErWTVp' },
});
export const signatureDeclined = event('signature.declined', {
  ...ofSigner,
  description: 'A person declines to sign, which ends the request',
  action: 'signature_request.decline',
  example: { ...ofSigner.example, status: 'declined' },
});
export const signatureExpired = event('signature.expired', {
  ...change,
  description: 'A request expires before everybody has signed',
  action: 'signature_request.expire',
  example: { ...change.example, status: 'expired' },
});
export const signatureCancelled = event('signature.cancelled', {
  ...change,
  description: 'A request is cancelled',
  action: 'signature_request.cancel',
  example: { ...change.example, status: 'cancelled' },
});
