-- AlterTable
ALTER TABLE "session" ADD COLUMN     "partner_id" BIGINT,
ADD COLUMN     "portal_environment" TEXT,
ADD COLUMN     "portal_user_id" BIGINT,
ADD COLUMN     "portal_user_name" TEXT,
ALTER COLUMN "user_id" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "session_tenant_id_partner_id_portal_user_id_idx" ON "session"("tenant_id", "partner_id", "portal_user_id");

-- A session is a user's or a portal user's, never both: which of the two decides what its tokens open.
ALTER TABLE "session" ADD CONSTRAINT session_of_one CHECK (
  ("user_id" IS NOT NULL AND "portal_user_id" IS NULL)
  OR ("user_id" IS NULL AND "portal_user_id" IS NOT NULL AND "partner_id" IS NOT NULL
    AND "portal_user_name" IS NOT NULL AND "portal_environment" IN ('live', 'sandbox')));
