-- AlterTable
ALTER TABLE "custom_field" ADD COLUMN     "pass" INTEGER NOT NULL DEFAULT 1;
