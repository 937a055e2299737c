import type { Handlers } from '@tandem/service';
import type { certificates } from '@tandem/training-contract';
import type { Tools, Tx } from '../../handler.ts';
import { getCertificate } from './get-certificate.ts';
import { getCertificateDownloadUrl } from './get-certificate-download-url.ts';
import { getPublicCertificate } from './get-public-certificate.ts';
import { listCertificates } from './list-certificates.ts';
import { revokeCertificate } from './revoke-certificate.ts';
import { serveCertificate } from './serve-certificate.ts';
import { showCertificatePage } from './show-certificate-page.ts';

export const certificateHandlers = (tools: Tools) =>
  ({
    listCertificates: listCertificates(tools),
    getCertificate: getCertificate(tools),
    getCertificateDownloadUrl: getCertificateDownloadUrl(tools),
    revokeCertificate: revokeCertificate(tools),
    getPublicCertificate,
    showCertificatePage,
    serveCertificate: serveCertificate(tools),
  }) satisfies Handlers<typeof certificates, Tx>;
