import { id, listQuery, media, operations, page, sharedErrors, timestamp } from '@tandem/contract';
import { z } from 'zod';
import { Checksum, notAvailable, withId } from './file.ts';
import {
  DeclineReason,
  SignatureField,
  SignatureProvider,
  SignatureRequest,
  SignatureStatus,
  Signer,
  SigningOrder,
  signatureCancelled,
  signatureLimits,
  signatureSent,
} from './signatures.ts';

const withRequest = z.object({ requestId: id('signature_request') });
const { signers: signersMax, fields: fieldsMax, daysMax, daysUsual, remindHours } = signatureLimits;

const SignerInput = Signer.pick({ name: true, email: true }).extend({
  role: Signer.shape.role.default('signer'),
  order: Signer.shape.order.default(1),
});
const FieldInput = SignatureField.omit({ id: true, signerId: true }).extend({
  signerIndex: z
    .int()
    .min(0, 'Must be at least 0')
    .max(signersMax - 1, `Must be less than ${signersMax}`)
    .meta({ description: 'The position of the signer in `signers`; the first one is 0', examples: [0] }),
  required: SignatureField.shape.required.default(true),
  label: SignatureField.shape.label.default(null),
});

/** An entry of the audit trail. */
export const SignatureAuditEntry = z.object({
  number: z.int().meta({ description: 'The position in the trail', examples: [1] }),
  type: z.string().meta({ description: 'What happened', examples: ['signed'] }),
  at: timestamp(),
  signerId: id('signer').nullable(),
  userId: id('user').nullable().describe('The user who acted, if it was not a signer'),
  ip: z
    .string()
    .nullable()
    .meta({ description: 'The address of the person', examples: ['192.0.2.7'] }),
  userAgent: z
    .string()
    .nullable()
    .meta({ description: 'The browser or program of the person', examples: ['Firefox'] }),
  documentSha256: Checksum.describe('The checksum of the document at that time'),
  details: z.record(z.string(), z.string()).meta({ description: 'Further facts', examples: [{}] }),
  previousHash: z
    .string()
    .meta({ description: 'The hash of the entry before; empty for the first one', examples: [''] }),
  hash: z.string().meta({ description: 'The hash of this entry and the one before', examples: [''] }),
});

/** Whether a document is one that was signed here. */
export const SignatureVerification = z.object({
  known: z.boolean().meta({ description: 'Whether it is a document that was signed here', examples: [true] }),
  requestId: id('signature_request').nullable().describe('The request by which it was signed'),
  completedAt: timestamp().nullable().describe('When the signed document was stored'),
  sha256: Checksum,
  signature: z
    .object({
      valid: z.boolean().meta({
        description:
          'Whether the document is unchanged since it was signed with a key of this deployment, and not in the sandbox',
        examples: [true],
      }),
      problem: z
        .enum(['no_signature', 'unreadable', 'changed', 'appended', 'other_certificate', 'sandbox'])
        .nullable()
        .meta({
          description:
            'Why the signature is not valid. `sandbox`: the document was signed as a test in the sandbox, so nobody has signed it',
          examples: [null],
        }),
    })
    .nullable()
    .describe('The embedded signature; null if only a checksum was sent'),
});

const refused = { transition_refused: sharedErrors.transition_refused } as const;
const mailLimit = { mail_limit: [429, 'No more messages can be sent today; try again tomorrow'] } as const;

export const signatureRequests = operations({
  createSignatureRequest: {
    method: 'POST',
    path: '/v1/files/:id/signature-requests',
    permission: 'files:write',
    narrows: true,
    summary: 'Ask people to sign a document',
    description:
      'The file must be a PDF without encryption, scripts or dynamic forms. The request concerns its current version. Each person gets a link by mail. The link is for that person only: signing for somebody else is not possible. In the sandbox no mail is sent, and the signed document says that it is a test.',
    params: withId,
    body: z.object({
      signers: z
        .array(SignerInput)
        .min(1, 'Must contain at least one person')
        .max(signersMax, `Must contain at most ${signersMax} people`)
        .meta({
          description: 'The people, of whom at least one has the role `signer` or `approver`',
          examples: [[{ name: 'Ada Lovelace', email: 'ada@example.com', role: 'signer', order: 1 }]],
        }),
      fields: z
        .array(FieldInput)
        .max(fieldsMax, `Must contain at most ${fieldsMax} fields`)
        .meta({
          description: 'The places to fill in; without any, the signatures are on the certificate page only',
          examples: [[{ type: 'signature', page: 1, x: 0.1, y: 0.8, width: 0.3, height: 0.06, signerIndex: 0 }]],
        })
        .default([]),
      subject: SignatureRequest.shape.subject
        .describe('What the mail is about; the name of the file by default')
        .optional(),
      message: SignatureRequest.shape.message.default(null),
      signingOrder: SigningOrder.default('parallel'),
      expiresAt: timestamp()
        .describe(`Until when people can sign: at most ${daysMax} days, by default ${daysUsual} days`)
        .optional(),
      reminderEveryDays: SignatureRequest.shape.reminderEveryDays
        .describe('After how many days those who have not signed are reminded; providers send their own reminders')
        .default(null),
      redirectUrl: SignatureRequest.shape.redirectUrl.default(null),
      provider: SignatureProvider.default('builtin'),
      send: z
        .boolean()
        .meta({ description: 'Whether to send it at once', examples: [true] })
        .default(true),
    }),
    reply: SignatureRequest,
    // The fields of the same name in the request have another form.
    example: { signers: [], fields: [] },
    status: 201,
    message: 'Signature request created',
    emits: [signatureSent],
    errors: {
      ...mailLimit,
      not_available: notAvailable,
      document_not_signable: [422, 'The file cannot be signed; upload a PDF that can be'],
    },
    timeoutMs: 60_000,
  },
  listSignatureRequests: {
    method: 'GET',
    path: '/v1/files/:id/signature-requests',
    permission: 'files:read',
    narrows: true,
    summary: 'List the signature requests of a file',
    params: withId,
    query: listQuery(['createdAt']).omit({ search: true }).extend({ status: SignatureStatus.optional() }),
    reply: page(SignatureRequest),
    message: 'Signature requests retrieved',
  },
  getSignatureRequest: {
    method: 'GET',
    path: '/v1/files/signature-requests/:requestId',
    permission: 'files:read',
    narrows: true,
    summary: 'Retrieve a signature request',
    params: withRequest,
    reply: SignatureRequest,
    message: 'Signature request retrieved',
  },
  sendSignatureRequest: {
    method: 'POST',
    path: '/v1/files/signature-requests/:requestId/send',
    permission: 'files:write',
    narrows: true,
    summary: 'Send a draft',
    params: withRequest,
    reply: SignatureRequest,
    message: 'Signature request sent',
    emits: [signatureSent],
    errors: {
      ...refused,
      ...mailLimit,
      request_expired: [409, 'The time to sign is over; create a new request'],
      document_changed: [409, 'The version of the file was deleted; create a new request'],
    },
  },
  remindSigners: {
    method: 'POST',
    path: '/v1/files/signature-requests/:requestId/remind',
    permission: 'files:write',
    narrows: true,
    summary: 'Remind people to sign',
    description: `Sends the link again to those whose turn it is, or to one of them. The newest ${signatureLimits.linksMax} links of a person stay valid. Each person is reminded at most every ${remindHours === 1 ? 'hour' : `${remindHours} hours`}.`,
    params: withRequest,
    body: z.object({
      signerId: id('signer').describe('Whom to remind; everybody whose turn it is by default').optional(),
    }),
    reply: SignatureRequest,
    message: 'Reminders sent',
    emits: [],
    errors: {
      ...refused,
      mail_limit: mailLimit.mail_limit,
      reminded_recently: [429, 'The person was reminded within the last hour; try again later'],
      not_your_turn: [409, 'It is not the turn of this person, or the person has signed already'],
      reminded_by_provider: [409, 'The provider of the request sends its own reminders'],
    },
  },
  cancelSignatureRequest: {
    method: 'POST',
    path: '/v1/files/signature-requests/:requestId/cancel',
    permission: 'files:write',
    narrows: true,
    summary: 'Cancel a signature request',
    description: 'The links stop working, and those who got one get a message.',
    params: withRequest,
    body: z.object({ reason: DeclineReason.describe('Why it is cancelled; the signers read it').optional() }),
    reply: SignatureRequest,
    message: 'Signature request cancelled',
    emits: [signatureCancelled],
    errors: refused,
  },
  retrySignatureRequest: {
    method: 'POST',
    path: '/v1/files/signature-requests/:requestId/retry',
    permission: 'files:write',
    narrows: true,
    summary: 'Retry what failed for a signature request',
    description: 'For a request with a `problem`: makes the signed document again, or calls the provider again.',
    params: withRequest,
    reply: SignatureRequest,
    message: 'Retry started',
    emits: [],
    errors: { no_problem: [409, 'The request has no problem that a retry could solve'] },
  },
  getSignatureAuditTrail: {
    method: 'GET',
    path: '/v1/files/signature-requests/:requestId/audit-trail',
    permission: 'files:read',
    narrows: true,
    summary: 'Retrieve the audit trail of a signature request',
    description:
      'Every entry contains a hash of itself and of the entry before. The response is JSON in the usual envelope, with `data.entries` and `data.isIntact`, or a PDF.',
    params: withRequest,
    query: z.object({
      format: z
        .enum(['json', 'pdf'], { error: 'Must be json or pdf' })
        .meta({ description: 'The media type of the response', examples: ['json'] })
        .default('json'),
    }),
    reply: media('application/json', 'application/pdf'),
    message: 'The audit trail',
    errors: { trail_too_long: [422, 'The audit trail is too long for a PDF; use format=json'] },
    timeoutMs: 60_000,
  },
  verifySignature: {
    method: 'POST',
    path: '/v1/files/signatures/verify',
    permission: 'files:read',
    narrows: true,
    summary: 'Verify a signed document',
    description:
      'Names the request by which a document was signed. With `fileId`, the content of a file is checked including its embedded signature; with `sha256`, only whether the checksum is that of a signed document.',
    body: z.object({
      sha256: z
        .string()
        .regex(/^[0-9a-fA-F]{64}$/, 'Must be 64 hexadecimal digits')
        .meta({
          description: 'The SHA-256 checksum of the document, in hexadecimal',
          examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
        })
        .optional(),
      fileId: id('file').describe('The file to check, instead of a checksum').optional(),
      versionId: id('file_version').describe('The version of the file; the current one by default').optional(),
    }),
    reply: SignatureVerification,
    message: 'Document verified',
    emits: [],
    errors: { not_available: notAvailable },
    timeoutMs: 60_000,
  },
  verifySignedUpload: {
    method: 'POST',
    path: '/v1/files/signatures/verify-upload',
    permission: 'files:read',
    narrows: true,
    summary: 'Verify a signed document that is uploaded',
    description: 'Send a multipart form with the document in the part `file`. It is not stored.',
    form: z.object({}),
    reply: SignatureVerification,
    message: 'Document verified',
    emits: [],
  },
});
