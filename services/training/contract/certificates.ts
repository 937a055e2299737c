import {
  Environment,
  event,
  id,
  listQuery,
  media,
  operations,
  page,
  secret,
  sharedErrors,
  stateTable,
  text,
  timestamp,
} from '@tandem/contract';
import { z } from 'zod';
import { LearnerType } from './enrollment.ts';

export const certificateStatuses = ['valid', 'expired', 'revoked'] as const;
export const CertificateStatus = z.enum(certificateStatuses).describe('The status of the certificate');

export const certificateStates = stateTable<(typeof certificateStatuses)[number]>('Certificate', {
  created: { valid: 'completeLesson' },
  changes: { valid: { revoked: 'revokeCertificate' }, expired: { revoked: 'revokeCertificate' }, revoked: {} },
  automatic: {
    valid: { expired: 'end-certificate.job', revoked: 'erase-certificates' },
    expired: { revoked: 'erase-certificates' },
  },
});

/**
 * How long before its end a certificate is announced, how long a download link works, and how long a visitor waits for the
 * names of a new certificate.
 */
export const certificateTimes = { noticeDays: 30, linkSeconds: 900, namesSeconds: 2 } as const;

export const Certificate = z.object({
  id: id('certificate'),
  code: z.string().meta({
    description: 'Names the certificate on its public page, `/certificates/<code>`',
    examples: ['ThisIsOnlyAnExample00'],
  }),
  url: z.string().meta({
    description: 'The public page of the certificate',
    examples: ['https://api.example.com/certificates/ThisIsOnlyAnExample00'],
  }),
  enrollmentId: id('enrollment'),
  courseId: id('course'),
  learnerType: LearnerType.meta({ examples: ['user'] }),
  learnerId: id('learner').describe('The user, partner or lead who completed the course'),
  issuer: z.string().meta({
    description:
      'The name of the tenant at that time; empty until it is added, shortly after the certificate is issued',
    examples: ['Analytical Engines Ltd'],
  }),
  learnerName: z.string().meta({
    description:
      'The name of the learner at that time; empty until it is added, shortly after the certificate is issued, and `Erased` once the data of the learner is erased',
    examples: ['Ada Lovelace'],
  }),
  courseTitle: z
    .string()
    .meta({ description: 'The title of the course at that time', examples: ['Selling to engineers'] }),
  score: z
    .number()
    .nullable()
    .meta({ description: 'The score of the course', examples: [92.5] }),
  status: CertificateStatus.meta({ examples: ['valid'] }),
  allowedTransitions: z.array(CertificateStatus).meta({
    description: 'The statuses that this certificate can currently change to',
    examples: [['revoked']],
  }),
  issuedAt: timestamp().describe('When the course was completed'),
  expiresAt: timestamp()
    .nullable()
    .meta({ description: 'When the certificate expires; null for never', examples: [null] }),
  revokedAt: timestamp()
    .nullable()
    .meta({ description: 'When the certificate was revoked', examples: [null] }),
  revokedBy: id('user').nullable().describe('The user who revoked it'),
  revokeReason: z
    .string()
    .nullable()
    .meta({ description: 'Why it was revoked', examples: [null] }),
  version: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/** The fields of a certificate that everybody with its code can read. */
export const PublicCertificate = Certificate.pick({
  code: true,
  issuer: true,
  learnerName: true,
  courseTitle: true,
  status: true,
  issuedAt: true,
  expiresAt: true,
  revokedAt: true,
}).extend({
  environment: Environment.meta({
    description: 'The environment of the course; a certificate of the sandbox is a test',
    examples: ['live'],
  }),
});

const internal = {
  target: 'certificate',
  data: z.object({
    certificateId: id('certificate'),
    enrollmentId: id('enrollment'),
    courseId: id('course'),
    // Events of the release before lacked it.
    learnerId: id('learner').nullable().describe('The learner; null in events of earlier releases'),
  }),
  record: z.object({ id: id('certificate') }),
} as const;
const change = {
  ...internal,
  group: 'training',
  readPermission: 'training:read',
  example: {
    certificateId: 'cA3NTP1hkdBhOJFj',
    enrollmentId: 'K164dVTlqa3OcG9l',
    courseId: 'r3mQ2aihbZeOiI80',
    learnerId: 'a3HT7XOrDKJZ9JtB',
  },
} as const;
export const certificateIssued = event('training.certificate.issued', {
  ...change,
  description: 'A learner gets a certificate',
  action: 'certificate.issue',
});
export const certificateExpiring = event('training.certificate.expiring', {
  ...change,
  description: `A certificate expires in ${certificateTimes.noticeDays} days`,
  action: 'certificate.announce_expiry',
});
export const certificateExpired = event('training.certificate.expired', {
  ...internal,
  description: 'A certificate expires',
  action: 'certificate.expire',
});
export const certificateRevoked = event('training.certificate.revoked', {
  ...internal,
  description: 'A certificate is revoked',
  action: 'certificate.revoke',
});

const waits = `A new certificate has its names within moments; the request waits for them up to ${certificateTimes.namesSeconds} seconds, and returns 503 after that.`;
const withId = z.object({ id: id('certificate') });
const withCode = z.object({
  code: z
    .string()
    .max(100)
    .meta({ description: 'The code of the certificate', examples: ['ThisIsOnlyAnExample00'] }),
});

export const CertificateLink = z.object({
  url: secret(
    z.url().meta({
      description: 'A link to the PDF document; it works without credentials',
      examples: ['https://api.example.com/v1/public/certificate-files/ThisIsOnlyAnExample'],
    }),
  ),
  expiresAt: timestamp().describe('When the link expires'),
});

export const certificates = operations({
  listCertificates: {
    method: 'GET',
    path: '/v1/training/certificates',
    permission: 'training:read',
    narrows: true,
    summary: 'List certificates',
    query: listQuery(['createdAt'])
      .omit({ search: true })
      .extend({
        courseId: id('course').optional(),
        learnerId: id('learner').optional(),
        status: CertificateStatus.optional(),
      }),
    reply: page(Certificate),
    message: 'Certificates retrieved',
  },
  getCertificate: {
    method: 'GET',
    path: '/v1/training/certificates/:id',
    permission: 'training:read',
    narrows: true,
    summary: 'Retrieve a certificate',
    params: withId,
    reply: Certificate,
    message: 'Certificate retrieved',
  },
  getCertificateDownloadUrl: {
    method: 'GET',
    path: '/v1/training/certificates/:id/download-url',
    permission: 'training:read',
    narrows: true,
    summary: 'Get a link to the PDF document of a certificate',
    description: 'The link expires after 15 minutes. A revoked certificate has no document.',
    params: withId,
    reply: CertificateLink,
    message: 'Download link created',
    errors: { certificate_revoked: [409, 'The certificate is revoked'] },
  },
  revokeCertificate: {
    method: 'POST',
    path: '/v1/training/certificates/:id/revoke',
    permission: 'training:manage',
    summary: 'Revoke a certificate',
    description: 'The public page shows that the certificate is revoked. The completion of the course stays.',
    params: withId,
    body: z.object({
      reason: text(500)
        .nullish()
        .meta({ description: 'Why the certificate is revoked', examples: ['Issued by mistake'] }),
    }),
    reply: Certificate,
    example: { status: 'revoked', allowedTransitions: [] },
    message: 'Certificate revoked',
    emits: [certificateRevoked],
    errors: { transition_refused: sharedErrors.transition_refused },
  },
  getPublicCertificate: {
    method: 'GET',
    path: '/v1/public/certificates/:code',
    audience: 'public',
    summary: 'Verify a certificate',
    description: `The code identifies the certificate. ${waits}`,
    params: withCode,
    reply: PublicCertificate,
    message: 'Certificate retrieved',
  },
  showCertificatePage: {
    method: 'GET',
    path: '/certificates/:code',
    audience: 'public',
    summary: 'Show the public page of a certificate',
    description: `Returns an HTML page. ${waits}`,
    params: withCode,
    reply: media('text/html'),
    message: 'The HTML page',
  },
  serveCertificate: {
    method: 'GET',
    path: '/v1/public/certificate-files/:token',
    audience: 'public',
    summary: 'Download the PDF document of a certificate',
    description: waits,
    params: z.object({
      token: z
        .string()
        .max(2_000)
        .meta({ description: 'The token at the end of the link', examples: ['ThisIsOnlyAnExample'] }),
    }),
    reply: media('application/pdf'),
    message: 'The PDF document',
    errors: { link_expired: sharedErrors.link_expired },
  },
});
