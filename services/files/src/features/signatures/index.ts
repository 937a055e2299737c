import type { signatureRequests, signing } from '@tandem/files-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { cancelSignatureRequest } from './cancel-signature-request.ts';
import { completeRequest } from './complete-request.job.ts';
import { createSignatureRequest } from './create-signature-request.ts';
import { declineSigning } from './decline-signing.ts';
import { expireRequest } from './expire-request.job.ts';
import { getSignatureAuditTrail } from './get-signature-audit-trail.ts';
import { getSignatureRequest } from './get-signature-request.ts';
import { getSigning } from './get-signing.ts';
import { inviteSigners } from './invite-signers.job.ts';
import { listSignatureRequests } from './list-signature-requests.ts';
import { showSigningPage } from './page/show-signing-page.ts';
import { submitSigningPage } from './page/submit-signing-page.ts';
import { fetchSigned } from './providers/fetch-signed.job.ts';
import { receiveSignatureWebhook } from './providers/receive-signature-webhook.ts';
import { submitRequest } from './providers/submit-request.job.ts';
import { withdrawRequest } from './providers/withdraw-request.job.ts';
import { readSigningDocument } from './read-signing-document.ts';
import { remindRequest } from './remind-request.job.ts';
import { remindSigners } from './remind-signers.ts';
import { retrySignatureRequest } from './retry-signature-request.ts';
import { sendOutcome } from './send-outcome.job.ts';
import { sendSignatureRequest } from './send-signature-request.ts';
import { signDocument } from './sign-document.ts';
import { verifySignature } from './verify-signature.ts';
import { verifySignedUpload } from './verify-signed-upload.ts';

export const signatureHandlers = (tools: Tools) =>
  ({
    createSignatureRequest: createSignatureRequest(tools),
    listSignatureRequests,
    getSignatureRequest,
    sendSignatureRequest: sendSignatureRequest(tools),
    remindSigners: remindSigners(tools),
    cancelSignatureRequest: cancelSignatureRequest(tools),
    retrySignatureRequest,
    getSignatureAuditTrail: getSignatureAuditTrail(tools),
    verifySignature: verifySignature(tools),
    verifySignedUpload: verifySignedUpload(tools),
    getSigning: getSigning(tools),
    readSigningDocument: readSigningDocument(tools),
    signDocument: signDocument(tools),
    declineSigning: declineSigning(tools),
    showSigningPage: showSigningPage(tools),
    submitSigningPage: submitSigningPage(tools),
    receiveSignatureWebhook: receiveSignatureWebhook(tools),
  }) satisfies Handlers<typeof signatureRequests & typeof signing, Tx>;

export const signatureJobs = (tools: Tools) => [
  completeRequest(tools),
  expireRequest(tools),
  remindRequest(tools),
  inviteSigners(tools),
  sendOutcome(tools),
  submitRequest(tools),
  withdrawRequest(tools),
  fetchSigned(tools),
];
