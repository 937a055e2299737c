-- AlterTable
ALTER TABLE "audit_log" ADD COLUMN     "changed_ids" JSONB;
