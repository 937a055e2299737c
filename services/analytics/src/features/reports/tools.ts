import type { ReportFormat } from '@tandem/analytics-contract';
import type { IdCodec } from '@tandem/ids';
import type { Mailer } from '@tandem/mail';
import type { LinkTokens } from '@tandem/sealed';
import type { Documents } from '../../documents.ts';
import type { Tools } from '../../handler.ts';
import type { LinkTo } from '../exports/export.ts';
import type { Sources } from '../exports/source.ts';

/** The content of a link to the file of a run. */
export interface ReportLink {
  tenantId: number;
  environment: 'live' | 'sandbox';
  reportRunId: number;
  format: ReportFormat;
  /** The user whose permission the link needs. */
  userId: number | null;
}

/** The dependencies of reports, besides those of all handlers. */
export interface ReportTools extends Tools {
  ids: IdCodec;
  sources: Sources;
  links: LinkTokens<ReportLink>;
  /** The address of the file of a run. */
  fileUrl(link: ReportLink, expiresAt: Date): string;
  /** The address of the file of an export. */
  linkTo: LinkTo;
  documents: Documents;
  mail: Mailer['queue'];
}
