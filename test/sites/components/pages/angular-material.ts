import "@angular/compiler"; // the libraries come half compiled: the rest is done in the page
import { Component, provideZonelessChangeDetection } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { FormsModule } from "@angular/forms";
import { MatAutocompleteModule } from "@angular/material/autocomplete";
import { MatButtonModule } from "@angular/material/button";
import { MatCheckboxModule } from "@angular/material/checkbox";
import { MatChipsModule } from "@angular/material/chips";
import { provideNativeDateAdapter } from "@angular/material/core";
import { MatDatepickerModule } from "@angular/material/datepicker";
import { MatExpansionModule } from "@angular/material/expansion";
import { MatFormFieldModule } from "@angular/material/form-field";
import { MatInputModule } from "@angular/material/input";
import { MatMenuModule } from "@angular/material/menu";
import { MatRadioModule } from "@angular/material/radio";
import { MatSelectModule } from "@angular/material/select";
import { MatSlideToggleModule } from "@angular/material/slide-toggle";
import { MatSliderModule } from "@angular/material/slider";
import { MatTabsModule } from "@angular/material/tabs";
import "../node_modules/@angular/material/prebuilt-themes/azure-blue.css";
import { record } from "./record.js";

@Component({
  selector: "app-root",
  imports: [
    FormsModule, MatAutocompleteModule, MatButtonModule, MatCheckboxModule, MatChipsModule, MatDatepickerModule, MatExpansionModule,
    MatFormFieldModule, MatInputModule, MatMenuModule, MatRadioModule, MatSelectModule, MatSlideToggleModule, MatSliderModule, MatTabsModule,
  ],
  template: `<div style="width: 500px; padding: 20px">
    <mat-form-field><mat-label>Food</mat-label><mat-select (selectionChange)="record('food', $event.value)">
      @for (f of ["Steak", "Pizza", "Tacos"]; track f) { <mat-option [value]="f">{{ f }}</mat-option> }</mat-select></mat-form-field>
    <mat-form-field><mat-label>Toppings</mat-label><mat-select multiple (selectionChange)="record('toppings', $event.value)">
      @for (f of ["Olives", "Onion", "Ham"]; track f) { <mat-option [value]="f">{{ f }}</mat-option> }</mat-select></mat-form-field>
    <mat-form-field><mat-label>State</mat-label><input matInput [matAutocomplete]="auto" [(ngModel)]="text">
      <mat-autocomplete #auto (optionSelected)="record('state', $event.option.value)">
      @for (f of states(); track f) { <mat-option [value]="f">{{ f }}</mat-option> }</mat-autocomplete></mat-form-field>
    <mat-form-field><mat-label>Date</mat-label><input matInput [matDatepicker]="picker" [(ngModel)]="day" (dateChange)="record('date', $event.value?.toDateString())">
      <mat-datepicker-toggle matSuffix [for]="picker"></mat-datepicker-toggle><mat-datepicker #picker></mat-datepicker></mat-form-field>
    <mat-checkbox (change)="record('terms', $event.checked)">Terms</mat-checkbox>
    <mat-slide-toggle (change)="record('wifi', $event.checked)">Wifi</mat-slide-toggle>
    <mat-radio-group aria-label="Season" (change)="record('season', $event.value)"><mat-radio-button value="w">Winter</mat-radio-button><mat-radio-button value="s">Summer</mat-radio-button></mat-radio-group>
    <mat-slider><input matSliderThumb aria-label="Volume" (valueChange)="record('volume', $event)"></mat-slider>
    <mat-tab-group (selectedIndexChange)="record('tab', $event)"><mat-tab label="First">1</mat-tab><mat-tab label="Second">2</mat-tab></mat-tab-group>
    <button mat-button [matMenuTriggerFor]="menu">Animals</button>
    <mat-menu #menu="matMenu"><button mat-menu-item [matMenuTriggerFor]="birds">Birds</button><button mat-menu-item (click)="record('animal', 'cat')">Cat</button></mat-menu>
    <mat-menu #birds="matMenu"><button mat-menu-item (click)="record('animal', 'owl')">Owl</button></mat-menu>
    <mat-chip-listbox aria-label="Fish" (change)="record('fish', $event.value)"><mat-chip-option value="cod">Cod</mat-chip-option><mat-chip-option value="eel">Eel</mat-chip-option></mat-chip-listbox>
    <mat-expansion-panel (opened)="record('panel', true)"><mat-expansion-panel-header>Personal data</mat-expansion-panel-header>Here</mat-expansion-panel>
  </div>`,
})
class App {
  text = "";
  day = new Date(2026, 4, 10);
  record = record;
  states = () => ["Alabama", "Alaska", "Texas"].filter((name) => name.toLowerCase().includes(this.text.toLowerCase()));
}

document.querySelector("#app")!.innerHTML = "<app-root></app-root>";
bootstrapApplication(App, { providers: [provideZonelessChangeDetection(), provideNativeDateAdapter()] });
