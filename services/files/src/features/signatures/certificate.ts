import type { SignatureEvent as EventRow, Signer as SignerRow } from '../../generated/client.ts';
import type { Tools } from '../../handler.ts';
import type { Certificate, CertificateSection } from './pdf/certificate-pages.ts';
import { textsOf, timeText } from './texts.ts';
import type { WholeRequest } from './whole-request.ts';

interface CertificateInput extends WholeRequest {
  filename: string;
  entries: readonly EventRow[];
  tenantId: number;
  environment: 'live' | 'sandbox';
}

/** The certificate pages of a signed document, or the printed audit trail of any request. */
export function certificateOf(
  { ids }: Pick<Tools, 'ids'>,
  { request, signers, filename, entries, tenantId, environment }: CertificateInput,
  kind: 'certificate' | 'trail',
): Certificate {
  const { certificate: texts, roles, test } = textsOf(request.language);
  const isTest = environment === 'sandbox';
  const code = ids.encode('signature_request', tenantId, request.id);
  const { facts } = texts;
  const time = (date: Date | null) => (date ? timeText(date, request.language) : '–');
  const people = signers.map((signer): CertificateSection => {
    const role = roles[signer.role as keyof typeof roles];
    return {
      heading: signer.name,
      facts: [
        { label: facts.email, value: signer.email },
        { label: facts.role, value: role },
        ...(signer.role === 'cc' ? [] : [{ label: facts.viewed, value: time(signer.viewedAt) }]),
        ...(signer.signedAt ? evidenceOf(signer, { facts, time }) : []),
      ],
    };
  });
  const names = new Map(signers.map(({ id, name }) => [id, name]));
  return {
    warning: isTest ? test : null,
    title: kind === 'certificate' ? texts.title : texts.trailTitle,
    subtitle: kind === 'trail' ? texts.trailSubtitle : isTest ? null : texts.subtitle,
    sections: [
      {
        heading: texts.document,
        facts: [
          { label: facts.subject, value: request.subject },
          { label: facts.file, value: filename },
          { label: facts.request, value: code },
          { label: facts.sha256, value: request.documentSha256 },
          { label: facts.sender, value: request.senderName },
          ...(kind === 'trail' ? [{ label: facts.status, value: request.status }] : []),
          ...(request.allSignedAt ? [{ label: facts.completed, value: time(request.allSignedAt) }] : []),
        ],
      },
      ...people,
      { heading: texts.events, lines: entries.map((entry) => lineOf(entry, names)) },
    ],
    footer: texts.footer(code),
  };
}

function evidenceOf(
  { signedAt, ip, userAgent, consentText }: SignerRow,
  { facts, time }: { facts: ReturnType<typeof textsOf>['certificate']['facts']; time: (date: Date | null) => string },
) {
  return [
    { label: facts.signed, value: time(signedAt) },
    { label: facts.ip, value: ip ?? '–' },
    { label: facts.userAgent, value: userAgent ?? '–' },
    { label: facts.consent, value: consentText ?? '–' },
  ];
}

function lineOf({ at, type, signerId, ip, hash }: EventRow, names: ReadonlyMap<number, string>): string {
  const who = signerId === null ? '' : ` · ${names.get(signerId) ?? ''}`;
  return `${at.toISOString()} · ${type}${who}${ip ? ` · ${ip}` : ''} · ${hash.slice(0, 16)}…`;
}
