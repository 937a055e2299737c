-- AlterTable
ALTER TABLE "deal_registration" ADD COLUMN     "submitted_by_portal_user_id" BIGINT;
