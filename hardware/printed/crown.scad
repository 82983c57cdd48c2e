// The table's crown: a five-pointed band that a ring of 24 LEDs lights from inside, and its floor.
//
//   openscad -o crown-cable.stl crown.scad
//   openscad -D 'power="battery"' -o crown-battery.stl crown.scad
//   openscad -D 'part="floor"' -o crown-floor.stl crown.scad
//
// Print upright as it stands, without support, in a material that lets light through (natural PETG or PLA).
// All lengths in millimetres.

/* [What] */
part = "band";      // [band, floor]
power = "cable";    // [cable, battery]

/* [Light ring: measure yours] */
ring_outer = 66;    // outer diameter of the LED ring's board
ring_inner = 52;    // its inner diameter

/* [Look] */
points = 5;
point_height = 34;  // from the band's rim to a point's tip
tip = 4;            // width of a tip: a sharp one breaks

/* [Print] */
wall = 1.6;         // four lines of a 0.4 mm nozzle
fit = 0.3;          // gap on each side between parts that go into each other
$fn = 100;

// Under the ledge: 12 mm for a cable's plug, 34 mm for a Pico W on top of a flat cell.
room = power == "battery" ? 34 : 12;
ledge = (ring_outer - ring_inner) / 2 - 1;   // how far the ledge reaches in under the ring's board
inner = ring_outer / 2 + fit;                // the band's inner radius
outer = inner + wall;
ledge_top = room + ledge;                    // its underside rises at 45 degrees from the wall
rim = ledge_top + 12;                        // the points begin here
slot = 7;                                    // a micro USB plug without its shell, or three wires
step = 2.4;                                  // how far the floor's collar goes into the band

module band() {
    difference() {
        rotate_extrude() polygon([
            [inner, 0], [outer + 2, 0], [outer + 2, 3], [outer, 5],
            [outer, rim - 9], [outer + 2, rim - 7], [outer + 2, rim - 4], [outer, rim - 2],
            [outer, rim + point_height], [inner, rim + point_height],
            [inner, ledge_top + 1.6], [inner - ledge, ledge_top + 1.6], [inner - ledge, ledge_top], [inner, room],
        ]);
        valleys();
        // The cable's way out, a slot from below with a gable that needs no support.
        translate([0, 0, -1]) rotate([90, 0, 90]) linear_extrude(outer + 3)
            polygon([[-slot / 2, 0], [slot / 2, 0], [slot / 2, 5], [0, 5 + slot / 2], [-slot / 2, 5]]);
        if (power == "battery") switch_hole();
    }
}

// What is cut away between the points: one V a gap, wide at the top.
module valleys() {
    half = outer * sin(180 / points) - tip / 2;
    for (i = [0:points - 1]) rotate([90, 0, 90 + 360 / points * i])
        linear_extrude(outer + 3)
            polygon([[-1, rim], [1, rim], [half, rim + point_height + 0.01], [half, rim + point_height + 5],
                     [-half, rim + point_height + 5], [-half, rim + point_height + 0.01]]);
}

// A slide switch of 8.5 x 3.7 mm, opposite the cable.
module switch_hole() {
    translate([0, 0, 14]) rotate([90, 0, -90]) linear_extrude(outer + 3)
        polygon([[-4.3, 0], [4.3, 0], [4.3, 3.9], [0, 8.2], [-4.3, 3.9]]);
}

// The floor closes the band from below; its collar is a press fit.
module floor_plate() {
    linear_extrude(1.6) circle(outer + 2);
    translate([0, 0, 1.6]) linear_extrude(step) difference() {
        circle(inner - fit);
        circle(inner - fit - wall);
        translate([inner, 0]) square([3 * wall + 2, slot], center = true);
    }
}

if (part == "floor") floor_plate();
else band();
