import type { IdCodec } from '@tandem/ids';
import type { Mailer } from '@tandem/mail';
import type { LinkTokens } from '@tandem/sealed';
import type { Documents } from '../../documents.ts';
import type { Tools } from '../../handler.ts';
import type { LinkTo } from '../exports/export.ts';
import type { Sources } from '../exports/sources.ts';
import type { ReportLink } from './report-run.ts';

/** What reports use beside the tools of handlers. */
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
