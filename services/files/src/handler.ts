import type { TenantRequest } from '@tandem/client/per-tenant';
import type { Operation } from '@tandem/contract';
import type { KnownSettings } from '@tandem/identity-contract';
import type { IdCodec } from '@tandem/ids';
import type { Mailer } from '@tandem/mail';
import type { LinkTokens, Seal } from '@tandem/sealed';
import type { Handler as ServiceHandler } from '@tandem/service';
import type { Tx as TenantTx } from '@tandem/tenant-db';
import type { PreviewSide } from './features/content/previews.ts';
import type { PdfWork } from './features/signatures/pdf/pdf-work.ts';
import type { SigningKeys } from './features/signatures/pdf/signing-key.ts';
import type { Providers } from './features/signatures/providers/providers.ts';
import type { StorageLimit } from './features/usage/storage-limit.ts';
import type { PrismaClient } from './generated/client.ts';
import type { Scanner } from './scan/scanner.ts';
import type { DirectUpload } from './store/local.ts';
import type { Store } from './store/store.ts';

/** Tenant-scoped database client of files. */
export type Tx = TenantTx<PrismaClient>;
/** Handler of a files operation; `Found` is the result of its `receive` or `check`. */
export type Handler<Op extends Operation, Found = void> = ServiceHandler<Op, Tx, Found>;

/** Payload of a link token. */
export interface Linked {
  tenantId: number;
  environment: 'live' | 'sandbox';
  fileId: number;
  /** The current version if absent. */
  versionId?: number;
  disposition: 'inline' | 'attachment';
  /** The side of the preview that the link shows instead of the content. */
  preview?: PreviewSide;
}

/** Payload of a link to sign. */
export interface SignLink {
  tenantId: number;
  environment: 'live' | 'sandbox';
  signerId: number;
}

/** Dependencies of handlers. */
export interface Tools {
  store: Store;
  links: LinkTokens<Linked>;
  publicUrl: string;
  uploadLinks: LinkTokens<DirectUpload>;
  /** Maximum size of a direct upload, and of one with a link. */
  maxBytes: number;
  uploadBytesMax: number;
  /** Larger uploads are checked by a job. */
  inlineBytesMax: number;
  /** Absent when nothing is scanned. */
  scanner: Scanner | undefined;
  /** How long after a failed scan the content is scanned again, in ms. */
  rescanMs: number;
  ids: IdCodec;
  seal: Seal;
  mailer: Mailer;
  /** The name and language of a tenant. */
  settingsOf: (request: TenantRequest) => Promise<KnownSettings>;
  signTokens: LinkTokens<SignLink>;
  signingKeys: SigningKeys;
  pdf: PdfWork;
  providers: Providers;
  /** The storage of the tenant's plan. */
  storageLimitOf(request: TenantRequest): Promise<StorageLimit>;
}
