-- AlterTable
ALTER TABLE "audit_log" ADD COLUMN     "hash_form" INTEGER;
